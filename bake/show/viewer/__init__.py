"""Build and serve the page of `bake view`.

contents: the data of the page in addition to the flat file;
bundle: one self-contained HTML page from the modules in ``page`` and in the JavaScript reader;
page: the JavaScript modules and the style sheet.
"""

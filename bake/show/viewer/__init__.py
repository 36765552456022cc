"""This package makes the page in which one looks at a bake: `bake view`.

contents: what the page needs beside the flat file;
bundle: one page of HTML with everything in it, of the modules in ``page`` and those of the reader;
page: the modules themselves, in JavaScript, and the style sheet.
"""

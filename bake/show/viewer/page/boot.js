"use strict";
// Inflates and runs the program of the page. The page's policy allows it by its digest.
(async () => {
  try {
    const text = atob(document.getElementById("program").textContent);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  } catch (error) {
    const trouble = document.getElementById("trouble");
    trouble.textContent = `The page cannot be shown: ${error.message}. A browser of May 2024 or newer can.`;
    trouble.hidden = false;
  }
})();

// What the site of the book changes of mdBook's behaviour.

(() => {
  "use strict";
  const root = document.documentElement;

  // The pages of runs have the colours that the reader has chosen for the book.
  const isDark = () => ["coal", "navy", "ayu"].some((name) => root.classList.contains(name));
  function colour(frame) {
    try {
      const inner = frame.contentDocument;
      const now = inner.documentElement.dataset.theme;
      if (now && now !== (isDark() ? "dark" : "light")) inner.getElementById("theme").click();
    } catch {
      // A book that is opened as files may not reach into its pages.
    }
  }
  const frames = [...document.querySelectorAll(".page-of-a-run iframe")];
  for (const frame of frames) frame.addEventListener("load", () => colour(frame));
  new MutationObserver(() => frames.forEach(colour)).observe(root, { attributeFilter: ["class"] });
  frames.forEach(colour);

  // What scrolls sideways can be scrolled by keys. Elsewhere the arrows turn the pages of the book.
  const wide = [...document.querySelectorAll("pre > code, .table-wrapper")];
  const arrows = ["ArrowLeft", "ArrowRight"];
  function reach() {
    for (const element of wide) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
  }
  for (const element of wide) {
    element.addEventListener("keydown", (event) => {
      if (event.target === element && arrows.includes(event.key)) event.stopPropagation();
    });
  }
  new ResizeObserver(reach).observe(document.body);
  document.fonts.ready.then(reach);
  reach();

  // Options and short names stay in one line: `--help` is not broken after its hyphens.
  for (const code of document.querySelectorAll(":not(pre) > code")) {
    if (code.textContent.length < 25) code.classList.add("whole");
  }

  // The field of the search has a name, and not its placeholder alone.
  document.getElementById("mdbook-searchbar")?.setAttribute("aria-label", "Search this book");

  // The label that opens the table of contents is a button, with the keys of one.
  const toggle = document.getElementById("mdbook-sidebar-toggle");
  toggle.setAttribute("role", "button");
  toggle.tabIndex = 0;
  toggle.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    toggle.click();
  });
})();

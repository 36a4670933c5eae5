// All of a long text, where the page had its beginning. It is put in by the browser alone: htmx looks at each of the
// tens of thousands of elements that a long table has, twice, and there is nothing for it in what people and models write.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.shouldSwap || !detail.requestConfig.elt.matches(".rest > a")) return;
  detail.shouldSwap = false;
  detail.target.outerHTML = detail.serverResponse;
});

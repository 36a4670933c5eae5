// The transcript opens at its end and sticks to it by its layout. This adds the pill that leads back to the end, older
// events as one scrolls up, and keeps a row that is unfolded at the very end in its place.
const scroller = document.getElementById("scroller");
const pill = document.getElementById("new");
const NEAR = 48;

// Known from the last scrolling: to ask as a swap ends has the whole page laid out on the spot.
let atEnd = true;
const look = () => { atEnd = Math.abs(scroller.scrollTop) < NEAR; if (atEnd) pill.hidden = true; };
const toEnd = () => { scroller.scrollTop = 0; pill.hidden = true; };

if (scroller) {
  let count = things();
  document.addEventListener("page:received", () => {
    const now = things();
    if (now > count && !atEnd) pill.hidden = false;
    count = now;
  });
  document.addEventListener("page:mine", toEnd);
  look();
  scroller.addEventListener("scroll", look, { passive: true });
  pill.addEventListener("click", toEnd);
  scroller.addEventListener("toggle", ({ target }) => {
    if (!target.dataset.top) return;
    scroller.scrollTop += target.getBoundingClientRect().top - Number(target.dataset.top);
    delete target.dataset.top;
  }, true);
  scroller.addEventListener("click", ({ target }) => {
    const summary = target.closest?.("summary");
    if (summary) summary.parentElement.dataset.top = summary.parentElement.getBoundingClientRect().top;
  });
}

function things() {
  return document.querySelectorAll("#things > :not([hidden])").length;
}

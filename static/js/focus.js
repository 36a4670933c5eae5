// Whoever uses the keyboard is never left without a place: when what they were at goes, as it was done, withdrawn or
// settled, they go on in the menu that is open, and else where they write. And nothing covers what they are at.
let at = null, menu = null;

// An answer may come late: whoever has gone on somewhere else meanwhile stays there.
export const isStill = (...places) =>
  document.activeElement === document.body || places.some((place) => place?.contains(document.activeElement));

document.addEventListener("focusin", ({ target }) => {
  at = target.matches(":focus-visible") ? target : null;
  menu = target.closest("[popover]");
  for (const open of document.querySelectorAll(":popover-open")) if (!open.contains(target)) open.hidePopover();
});
document.addEventListener("pointerdown", () => (at = null));
const here = (element) => element?.checkVisibility() ?? false;

// What was hidden loses the focus with the next frame.
const look = () => requestAnimationFrame(() => setTimeout(() => {
  if (!at || !isStill() || here(at)) return;
  const write = document.getElementById("content");
  (menu?.matches(":popover-open") ? menu : here(write) ? write : document.getElementById("scroller"))?.focus({ preventScroll: true });
}));
for (const name of ["page:received", "htmx:afterSettle", "click"]) document.addEventListener(name, look);

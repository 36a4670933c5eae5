// What asks for itself anew when the socket says, by a place in the log, that it has become stale: each says whose place.
const placeOf = (list) => document.getElementById(list.dataset.follows)?.dataset.seq;
const known = new Map([...document.querySelectorAll("[data-follows]")].map((list) => [list, placeOf(list)]));

document.addEventListener("page:received", () => {
  for (const [list, seq] of known) {
    const now = placeOf(list);
    if (now === seq) continue;
    known.set(list, now);
    htmx.trigger(list, "stale");
  }
});

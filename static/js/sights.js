// How far the reader has come. The server hears of it while the page is before their eyes; what comes meanwhile gets a
// line above it and a mark in the window's title. And the sidebar asks anew for what this thread's own events change in it.
const form = document.getElementById("sight");
const title = document.title;
const things = document.getElementById("things");
const SAID = "[data-type=message_posted], [data-type=notice_posted], [data-type=agent_responded]:not([hidden]), .request";
const DECIDED = "[data-type=question_asked], [data-type=approval_asked], [data-type=request_answered]";
const LISTS = "[data-type=thread_archived], [data-type=thread_unarchived]";
const MOVES = "[data-type=message_posted], [data-type=notice_posted], [data-type=retry_requested]";
let count = things?.childElementCount ?? 0;

const isFirst = () => document.querySelector("#listed li:first-child > [aria-current]") !== null;
const isLooking = () => document.visibilityState === "visible";

function look() {
  const { seq } = document.getElementById("cursor").dataset;
  document.title = title;
  if (form.elements.seq.value === seq) return;
  form.elements.seq.value = seq;
  htmx.trigger(form, "seen");
}

function received() {
  const fresh = [...things.children].slice(count);
  count = things.childElementCount;
  if (fresh.length && isLooking()) look();
  if (fresh.some((element) => element.matches(LISTS) || (element.matches(MOVES) && !isFirst()))) htmx.trigger("#listed", "stale");
  if (fresh.some((element) => element.matches(DECIDED))) htmx.trigger("#waiting", "stale");
  const said = fresh.find((element) => element.matches(SAID));
  if (!said || isLooking() || document.title !== title) return;
  document.getElementById("since")?.remove();
  said.before(Object.assign(document.createElement("p"), { className: "since", id: "since", textContent: "New since you last looked" }));
  count += 1;
  document.title = `• ${title}`;
}

if (form) {
  document.addEventListener("page:received", received);
  document.addEventListener("visibilitychange", () => isLooking() && look());
}

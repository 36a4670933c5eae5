// An artifact, beside its thread or alone: which one is open, what one may do with it, and what opens beside it.
import { abandon } from "./asking.js";
import { isStill } from "./focus.js";

const CHANGED = "artifact:changed";
let known = "";

const artifact = () => document.getElementById("artifact");

function mark() {
  const { id, seq, state, tools } = artifact()?.dataset ?? {};
  for (const tab of document.querySelectorAll("#tabs a"))
    if (tab.dataset.id !== id) tab.removeAttribute("aria-current");
    else if (!tab.hasAttribute("aria-current")) show(tab);
  if (!id) return;
  loosen(id, state, tools);
  catchUp({ id, seq });
  const slot = document.getElementById("panel-tools");
  if (slot && (slot.dataset.id !== id || slot.dataset.state !== state)) load(slot, { id, state, tools });
  if (known && known !== `${id} ${seq}`) document.dispatchEvent(new CustomEvent(CHANGED));
  known = `${id} ${seq}`;
}

function show(tab) {
  tab.setAttribute("aria-current", "true");
  tab.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
}

// A thread's page keeps current what its agent follows; of anything else it says that it does not.
function loosen(id, state, tools) {
  const loose = document.getElementById("loose");
  if (!loose) return;
  loose.hidden = state === "archived" || document.querySelector(`#tabs a[data-id="${id}"]`) !== null;
  loose.querySelector("a").href = new URL("../", new URL(tools, location.href));
}

// What one may do with an artifact differs by person, so it is asked for and not sent to everybody.
function load(slot, { id, state, tools }) {
  if (slot.dataset.id !== id) slot.replaceChildren();
  Object.assign(slot.dataset, { id, state });
  abandon(slot.id); // htmx would wait for its answer first, and show what one may do with the document before
  htmx.ajax("GET", tools, { target: slot, swap: "innerHTML" }).catch(() => {}); // abandoned in turn, or told of by notices.js
}

function close() {
  abandon("edit-slot");
  document.getElementById("edit-slot").replaceChildren();
  document.dispatchEvent(new CustomEvent("artifact:closed"));
  artifact()?.focus({ preventScroll: true });
}

// An answer to whoever did or opened something may be older than what the socket has brought meanwhile.
const newest = new Map();
document.addEventListener("page:left-out", ({ detail }) => detail.id === "artifact" && newest.set(detail.dataset.id, Number(detail.dataset.seq)));
document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  const came = detail.fragment.querySelector("#artifact")?.dataset, { id, version, seq } = detail.target.dataset;
  if (came && came.id === id && Number(came.seq) <= Number(seq) && Number(came.version) <= Number(version)) detail.shouldSwap = false;
});

function catchUp({ id, seq }) {
  if (!(newest.get(id) > Number(seq))) return;
  newest.delete(id);
  document.querySelector(`#tabs a[data-id="${id}"]`)?.click();
}

if (artifact()) {
  mark();
  document.addEventListener("page:received", mark);
  document.addEventListener("htmx:afterSettle", mark);
}
document.addEventListener("click", (event) => {
  const closing = event.target.closest?.("[data-closes-edit]");
  if (!closing || !document.getElementById("edit-slot")) return;
  event.preventDefault();
  close();
});
document.addEventListener("artifact:done", () => {
  if (isStill(artifact(), document.getElementById("panel-tools"))) artifact()?.focus({ preventScroll: true });
});
// What a line of the transcript leads to opens beside it, and on a narrow screen over it.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-opens]"), panel = document.getElementById("panel");
  const tab = link && document.querySelector(`#tabs a[data-id="${link.dataset.opens}"]`);
  if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  tab.click();
  if (!panel.checkVisibility()) panel.showPopover();
});
// The menu closes when something is chosen in it or elsewhere, and by Esc.
document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll(".more[open]"))
    if (!menu.querySelector("summary").contains(target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = document.querySelector(".more[open]");
  if (event.key !== "Escape" || !menu) return;
  event.preventDefault();
  menu.open = false;
  menu.querySelector("summary").focus();
});
// Esc closes what is open beside an artifact, for whoever is in it and has typed nothing there.
const isTyped = (opened) => [...opened.querySelectorAll("textarea, input:not([type=hidden])")].some(({ value, defaultValue }) => value !== defaultValue);
document.addEventListener("keydown", (event) => {
  const opened = document.activeElement.closest(".opened");
  if (event.key !== "Escape" || event.isComposing || event.defaultPrevented || !opened || isTyped(opened)) return;
  event.preventDefault();
  close();
});
// Whoever opens something goes on there: in its text, or at its heading.
function goOn(slot) {
  const places = ["form.edit .text", "form.edit :is(textarea, input:not([type=hidden]))", "h3[tabindex]", ".merge > h3"];
  places.map((place) => slot.querySelector(place)).find((found) => found?.checkVisibility())?.focus();
  slot.scrollIntoView({ block: "nearest" });
}
document.addEventListener("htmx:afterSwap", ({ target, detail }) => {
  if (target.id !== "edit-slot") return;
  document.getElementById("artifact-note")?.replaceChildren();
  if (isStill(target, detail.requestConfig.elt)) goOn(target);
});
const slot = document.querySelector(".alone #edit-slot");
if (slot?.childElementCount && isStill()) goOn(slot);

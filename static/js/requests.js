// Questions and approvals: what was typed into one that somebody else settled moves into the composer, unsent.
import { focusComposer, offer } from "./composer.js";
import { isStill } from "./focus.js";

const mine = new Set();

document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (target.dataset?.request) mine.add(target.dataset.request);
});
document.addEventListener("htmx:afterRequest", ({ target, detail }) => {
  if (!target.dataset?.request) return;
  if (!detail.successful) mine.delete(target.dataset.request);
  else if (isStill(target)) focusComposer();
});
document.addEventListener("htmx:oobBeforeSwap", ({ target }) => {
  const form = target.matches?.(".slot") ? target.querySelector("form[data-request]") : null;
  if (!form) return;
  const typed = [...form.querySelectorAll("textarea, input[type=text]")].filter(({ value, defaultValue }) => value !== defaultValue).map(({ value }) => value.trim()).filter(Boolean).join("\n");
  const focused = form.contains(document.activeElement);
  if (typed && !mine.has(form.dataset.request))
    offer(typed, "Somebody else settled this meanwhile. What you had typed is here, unsent.");
  if (focused) focusComposer();
});
// One click, one decision: the button that was pressed says which.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.request) return;
  const free = form.querySelector("[name=text]");
  if (free?.value.trim()) for (const choice of form.querySelectorAll("[name=choice]")) choice.checked = false;
}, true);
document.addEventListener("input", ({ target }) => {
  if (target.name !== "text" || !target.value.trim()) return;
  for (const choice of target.form?.querySelectorAll("[data-request] [name=choice]") ?? []) choice.checked = false;
});

// What is typed beside an artifact is kept until it is sent or given up: it survives a closed tab, a reload, a sign-out
// and a look at another document. And the form says when others have saved while one writes.
import { isStill } from "./focus.js";

const PREFIX = "typed:";
const fields = (form) => [...form.elements].filter((field) => field.name && field.matches("textarea, select, input:not([type=hidden], [type=checkbox], [type=radio])"));
const base = (form) => form.querySelector("input[name=base]");
const keyOf = (form) => PREFIX + form.dataset.keeps;

function stored(key, ...value) {
  try {
    if (!value.length) return JSON.parse(localStorage.getItem(key));
    if (value[0]) localStorage.setItem(key, JSON.stringify(value[0]));
    else localStorage.removeItem(key);
  } catch { /* private windows may store nothing */ }
  return null;
}

function keep(form) {
  const typed = Object.fromEntries(fields(form).filter((field) => field.value !== field.defaultValue).map(({ name, value }) => [name, value]));
  stored(keyOf(form), Object.keys(typed).length ? { base: base(form)?.value, typed } : null);
}

function recall(form) {
  const kept = stored(keyOf(form));
  if (!kept || form.dataset.recalled) return;
  form.dataset.recalled = "";
  const lost = fields(form).filter(({ name, value }) => name in kept.typed && value !== kept.typed[name]);
  for (const field of lost) field.value = kept.typed[field.name];
  if (base(form) && kept.base) base(form).value = kept.base;
  form.closest("details")?.setAttribute("open", "");
  if (lost.length) say(form, "What you had typed here before is back, unsaved.");
  news();
}

function say(form, words) {
  const line = form.querySelector(".edit-news");
  if (line && line.textContent !== words) line.textContent = words;
}

function news() {
  const shown = document.getElementById("artifact")?.dataset;
  for (const form of document.querySelectorAll("form.edit"))
    if (shown && Number(shown.version) > Number(base(form)?.value))
      say(form, `${shown.by} saved version ${shown.version} meanwhile. When you save, you are shown both.`);
}

const recallAll = (root) => root.querySelectorAll?.("form[data-keeps]").forEach(recall);

recallAll(document);
document.addEventListener("input", ({ target }) => target.form?.dataset.keeps && keep(target.form));
document.addEventListener("htmx:afterSwap", ({ target }) => recallAll(target));
document.addEventListener("artifact:changed", news);
document.addEventListener("htmx:beforeRequest", ({ target }) => target.matches("form.edit") && target.querySelector(".note").replaceChildren());
document.addEventListener("artifact:done", ({ detail }) => stored(PREFIX + detail.kept, null));
document.addEventListener("htmx:afterRequest", ({ target, detail }) => {
  if (target.dataset?.keeps && detail.successful) stored(keyOf(target), null);
});
document.addEventListener("click", ({ target }) => {
  if (!target.closest?.("[data-closes-edit]")) return;
  for (const form of document.querySelectorAll("#edit-slot form[data-keeps]")) stored(keyOf(form), null);
}, true);
document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (!target.matches(".edit-note")) return;
  const heading = target.querySelector(".merge > h3, .error");
  heading?.setAttribute("tabindex", "-1");
  if (isStill(target.closest("form"))) heading?.focus();
});

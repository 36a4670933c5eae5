// A plan that is edited by several people at once. Each answer, and each look after somebody else's change, is the whole
// editor as it now is; its rows are put into the page, but never over a row whose form somebody has open.
const editor = () => document.getElementById("plan-editor");
const inUse = (row) => Boolean(row.querySelector("details[open]"));
const nameOf = (element) => element?.closest?.("[data-task]")?.dataset.task + " " + element?.value;

function take(html) {
  const shown = editor();
  const fresh = new DOMParser().parseFromString(html, "text/html").getElementById("plan-editor");
  if (!shown || !fresh) return;
  const focused = document.activeElement?.closest?.(".task-steps") ? nameOf(document.activeElement) : null;
  shown.querySelector(".plan-note").replaceChildren(...fresh.querySelector(".plan-note").childNodes);
  if (Number(fresh.dataset.version) >= Number(shown.dataset.version)) {
    shown.dataset.version = fresh.dataset.version;
    takeRows(shown.querySelector(".tasks"), [...fresh.querySelectorAll(".task")]);
  }
  if (focused) [...shown.querySelectorAll(".task-steps button")].find((button) => nameOf(button) === focused)?.focus();
}

function takeRows(list, rows) {
  const there = new Map([...list.children].map((row) => [row.dataset.task, row]));
  let before = null;
  for (const fresh of rows) {
    const old = there.get(fresh.dataset.task);
    there.delete(fresh.dataset.task);
    const row = old && inUse(old) ? keptOpen(old, fresh) : document.adoptNode(fresh);
    if (old && old !== row) old.replaceWith(row);
    const next = before ? before.nextElementSibling : list.firstElementChild;
    if (next !== row) move(list, row, next);
    if (old !== row) htmx.process(row);
    before = row;
  }
  for (const gone of there.values()) if (!inUse(gone)) gone.remove(); else saidGone(gone);
}

// Moving keeps what is typed; where the browser can, the focus too.
function move(list, row, next) {
  if (list.moveBefore && row.isConnected) list.moveBefore(row, next);
  else list.insertBefore(row, next);
}

function keptOpen(old, fresh) {
  for (const part of [".task-now", ".task-steps"]) {
    const replacement = document.adoptNode(fresh.querySelector(part));
    old.querySelector(part).replaceWith(replacement);
    htmx.process(replacement);
  }
  return old;
}

function saidGone(row) {
  row.querySelector(".task-now").textContent = "Somebody dropped this task. What you typed is still here.";
  row.querySelector(".task-steps").replaceChildren();
}

document.addEventListener("htmx:beforeSwap", ({ target, detail }) => {
  if (target.closest?.("#plan-editor")) take(detail.xhr.responseText);
});
document.addEventListener("htmx:afterRequest", ({ target, detail }) => {
  if (!target.matches?.("#plan-editor form") || !detail.successful) return;
  if (target.matches(".add")) target.reset();
  else target.closest("details")?.removeAttribute("open");
});
document.addEventListener("artifact:changed", async () => {
  if (!editor()) return;
  const answer = await fetch(editor().dataset.editor, { headers: { "HX-Request": "true" } });
  if (answer.ok) take(await answer.text());
});

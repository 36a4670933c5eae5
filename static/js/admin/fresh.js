// Lists and regions of the admin keep themselves fresh: the page is fetched again, and what differs is put in its place.
// What somebody has ticked, focused or unfolded stays as it is.
const LIST_SECONDS = 5;
const table = "#result_list tbody";
let timer = 0;
let stopped = false;

async function fetched() {
  const response = await fetch(location.href, { headers: { "X-Requested-With": "fetch" } });
  if (response.redirected || !response.ok) throw new Error("signed out, or away");
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

const keyOf = (row) => row.querySelector("th a, td a")?.getAttribute("href") ?? row.textContent;
const isTicked = (row) => Boolean(row.querySelector(".action-select:checked"));
const isHeld = (row) => isTicked(row) || row.contains(document.activeElement);

function merged(old, anew) {
  const have = new Map([...old.rows].map((row) => [keyOf(row), row]));
  let added = 0;
  let place = null;
  for (const row of [...anew.rows]) {
    let mine = have.get(keyOf(row));
    have.delete(keyOf(row));
    if (!mine) added += 1;
    if (!mine || (!isHeld(mine) && mine.innerHTML !== row.innerHTML)) {
      const next = document.importNode(row, true);
      if (mine) mine.replaceWith(next);
      mine = next;
    }
    const after = place ? place.nextSibling : old.firstChild;
    if (mine !== after) old.insertBefore(mine, after);
    place = mine;
  }
  for (const row of have.values()) {
    if (isHeld(row)) row.classList.add("gone");
    else row.remove();
  }
  return added;
}

function say(added) {
  let line = document.getElementById("fresh");
  if (!line) {
    line = Object.assign(document.createElement("p"), { id: "fresh", className: "help" });
    line.setAttribute("role", "status");
    document.getElementById("changelist").before(line);
  }
  line.textContent = added ? `${added} more came in.` : "";
}

function recount() {
  const boxes = [...document.querySelectorAll("#result_list .action-select")];
  const counter = document.querySelector(".action-counter");
  if (!counter) return;
  const ticked = boxes.filter((box) => box.checked).length;
  counter.dataset.actionsIcnt = String(boxes.length);
  counter.textContent = `${ticked} of ${boxes.length} selected`;
}

function refreshList(anew) {
  const [old, next] = [document.querySelector(table), anew.querySelector(table)];
  if (!old || !next) {
    const idle = !document.querySelector("#changelist-form .action-select:checked");
    if (Boolean(old) !== Boolean(next) && idle && !document.activeElement.matches("input, select, textarea")) location.reload();
    return;
  }
  const added = merged(old, next);
  if (added) say(added);
  recount();
  const [pages, nextPages] = [document.querySelector(".paginator"), anew.querySelector(".paginator")];
  if (pages && nextPages && !pages.contains(document.activeElement)) pages.innerHTML = nextPages.innerHTML;
}

function refreshRegions(anew) {
  for (const region of document.querySelectorAll("[data-fresh]")) {
    const next = anew.getElementById(region.id);
    if (!next || region.innerHTML === next.innerHTML && "fresh" in next.dataset) continue;
    const open = new Set([...region.querySelectorAll("details[open]")].map((one) => one.id));
    const copy = document.importNode(next, true);
    for (const one of copy.querySelectorAll("details")) one.open = open.has(one.id);
    region.replaceWith(copy);
    if (!("fresh" in copy.dataset)) location.reload(); // it is settled, and the page offers other deeds
  }
}

async function look() {
  clearTimeout(timer);
  const isList = document.getElementById("changelist-form") !== null;
  const region = document.querySelector("[data-fresh]");
  if (stopped || (!isList && !region)) return;
  if (!document.hidden) {
    try {
      const anew = await fetched();
      if (isList) refreshList(anew);
      refreshRegions(anew);
    } catch (error) {
      stopped = !(error instanceof TypeError); // a network that is away comes back
    }
  }
  later();
}

function later() {
  clearTimeout(timer);
  const seconds = Number(document.querySelector("[data-fresh]")?.dataset.fresh) || LIST_SECONDS;
  timer = setTimeout(look, seconds * 1000);
}

document.addEventListener("change", (event) => event.target.matches?.(".action-select, #action-toggle") && setTimeout(recount));
document.addEventListener("visibilitychange", () => !document.hidden && look());
document.addEventListener("DOMContentLoaded", later);

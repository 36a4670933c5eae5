// Keeps the page current. The server sends HTML whose top-level elements say where they go; the page keeps its place in
// the log in #cursor, which comes with them. A link that died is noticed by its silence, and made anew at once when the
// machine wakes, comes online, or the page is brought back.
import { sayGone, saySignedOut } from "./notices.js";

const SILENCE = 25_000; // the server says something every 10 s
const ASLEEP = 12_000; // a timer this late and nothing heard for so long: the machine slept. A hidden page's timers are late, too
const SOONEST = 250, LATEST = 5_000;
const SIGNED_OUT = 4401, NO_LONGER = 4403, NOT_HERE = 4404, RELOAD = 4409;

const place = document.querySelector("[data-socket]");
let socket, heard = Date.now(), ticked = Date.now(), pause = SOONEST, retry, over = false;

const cursor = () => document.getElementById("cursor").dataset.seq;
const address = () => {
  const url = new URL(place.dataset.socket, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.searchParams.set("after", cursor());
  return url;
};

function connect() {
  clearTimeout(retry);
  if (over || !navigator.onLine) return;
  if (socket) socket.onclose = socket.onmessage = null, socket.close();
  heard = Date.now();
  socket = new WebSocket(address());
  socket.onmessage = ({ data }) => receive(data);
  socket.onclose = ({ code }) => closed(code);
}

function receive(html) {
  heard = Date.now();
  pause = SOONEST;
  say("");
  if (!html.trim()) return; // it only says that it is alive
  htmx.swap(document.body, fitting(html), { swapStyle: "none" });
  document.dispatchEvent(new CustomEvent("page:received"));
}

// Everybody is sent the same. What this page has no place for is left out: htmx would report it as a mistake.
function fitting(html) {
  const sent = Object.assign(document.createElement("template"), { innerHTML: html });
  const homeless = [...sent.content.children].filter((part) => !document.querySelector(placeOf(part)));
  for (const part of homeless) document.dispatchEvent(new CustomEvent("page:left-out", { detail: part })), part.remove();
  return homeless.length ? sent.innerHTML : html;
}

const placeOf = (part) => part.getAttribute("hx-swap-oob").match(/:(.*)/)?.[1] ?? `#${part.id}`;

function closed(code) {
  if (code === RELOAD) return location.reload();
  over = [SIGNED_OUT, NO_LONGER, NOT_HERE].includes(code);
  if (code === SIGNED_OUT) return saySignedOut();
  if (over) return sayGone();
  say("Reconnecting…");
  retry = setTimeout(connect, pause + Math.random() * 100);
  pause = Math.min(pause * 2, LATEST);
}

function say(words) {
  const line = document.getElementById("connection");
  if (!line || line.textContent === words) return;
  line.textContent = words;
  line.hidden = !words;
}

function lost() {
  if (socket) socket.onclose = null, socket.close();
  closed(1006);
}

if (place) {
  addEventListener("offline", lost);
  addEventListener("online", connect);
  addEventListener("pageshow", (event) => event.persisted && connect());
  setInterval(() => {
    const now = Date.now();
    const slept = now - ticked > ASLEEP && now - heard > ASLEEP;
    ticked = now;
    if (over) return;
    if (slept) connect();
    else if (now - heard > SILENCE) lost();
  }, 2_000);
  connect();
}

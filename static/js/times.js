// Moments in the reader's own words and time zone.
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });

function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    const today = at.toDateString() === new Date().toDateString();
    time.textContent = (today ? clock : day).format(at);
    time.title = whole.format(at);
  }
}

localise(document);
document.addEventListener("page:received", () => localise(document));
document.addEventListener("htmx:afterSettle", () => localise(document));

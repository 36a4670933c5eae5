// Moments in the reader's own words, and in the time zone of their profile or else of their device.
const { timeZone } = document.documentElement.dataset;
const dayOf = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone });
const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit", timeZone });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "numeric", minute: "2-digit", timeZone });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium", timeZone });

function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    const today = dayOf.format(at) === dayOf.format(new Date());
    time.textContent = (today ? clock : day).format(at);
    time.title = whole.format(at);
  }
}

localise(document);
document.addEventListener("page:received", () => localise(document));
document.addEventListener("htmx:afterSettle", () => localise(document));

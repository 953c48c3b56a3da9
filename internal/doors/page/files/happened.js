// What happened in the house: what was done and by whom, what things reported by themselves,
// buttons, and what rang. The newest is at the top. It is asked for only while it is looked at.
import { byId, dateOf, el, known, minuteOf, word } from "/page/dom.js";
import { ask, offered } from "/page/api.js";

const section = byId("happened"), at = byId("happened-at"), room = byId("happened-area"), more = byId("happened-more");
const step = 50;               // shown at first, and with each press of the button
const rest = 2000;             // ms between two requests
const before = 15, after = 30; // minutes around a time of day, as in the answer to a question

let all = [];       // newest first
let shown = step;
let there = false;  // the gateway can be asked
let seen = false;   // somebody looks at it
let stale = true;   // something may have happened since it was asked
let asked = 0, timer = 0;

export function start(about) {
  there = offered(about.routes, "happened");
  section.hidden = !there;
  document.querySelector(".tabs [data-tab=happened]").hidden = !there;
}

export function load() { take("turn"); }

export function take(kind) {
  if (!["turn", "house", "timers"].includes(kind)) return;
  stale = true;
  refresh();
}

new IntersectionObserver((entries) => { seen = entries.at(-1).isIntersecting; refresh(); }, { rootMargin: "600px" }).observe(section);

// refresh asks again, if that is of use to anybody.
function refresh() {
  if (!there || !stale || !seen || timer) return;
  timer = setTimeout(async () => {
    timer = 0;
    stale = false;
    asked = Date.now();
    try {
      all = await ask("happened");
      show();
    } catch {
      stale = true; // the next event, or the next look, asks again
    }
  }, Math.max(0, asked + rest - Date.now()));
}

for (const field of [at, room]) field.addEventListener("change", () => { shown = step; show(); });
more.addEventListener("click", () => {
  shown += step;
  show();
});

// isWanted tells what happened around the time and in the room that were chosen.
function isWanted({ time, area }) {
  if (room.value && area !== room.value) return false;
  if (!at.value) return true;
  const [hour, minute] = at.value.split(":").map(Number), then = new Date(time);
  const since = then.getHours() * 60 + then.getMinutes() - hour * 60 - minute + before;
  return (since + 1440) % 1440 <= before + after;
}

function show() {
  const rooms = [...new Set(all.map(({ area }) => area).filter(Boolean))].sort((a, b) => a.localeCompare(b)), kept = room.value;
  if (rooms.join() !== [...room.options].slice(1).map(({ value }) => value).join()) {
    room.replaceChildren(room.options[0], ...rooms.map((area) => el("option", { value: area }, area)));
    room.value = rooms.includes(kept) ? kept : "";
  }
  const wanted = all.filter(isWanted);
  let day = new Date().toDateString();
  byId("happened-list").replaceChildren(...wanted.slice(0, shown).map((one) => {
    const item = itemOf(one), of = new Date(one.time).toDateString();
    if (of !== day) item.dataset.day = dateOf(one.time);
    day = of;
    return item;
  }));
  more.hidden = wanted.length <= shown;
  byId("happened-none").hidden = wanted.length > 0;
}

// itemOf is one of the things that happened.
function itemOf({ time, kind, name, area, said, by, unsure, belied }) {
  const doubt = belied ? word("outcome_failed") : unsure ? known("receipt_", "accepted") : "";
  const what = kind === "ring" ? [said] : [el("strong", { dir: "auto" }, name), ": ", kind === "press" ? word("happened_press") : said];
  const who = kind === "press" ? "" : known("by_", by) === by ? known("source_", by) : known("by_", by);
  return el("li", {}, el("time", { className: "at", dateTime: time }, minuteOf(time)),
    el("div", {}, el("span", { dir: "auto" }, ...what), ...(doubt ? [" ", el("span", { className: "pill warn" }, doubt)] : []), " ",
      el("span", { className: "quiet" }, [area, who].filter(Boolean).join(" · "))));
}

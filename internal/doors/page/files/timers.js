// Timers, alarms, reminders and commands for later. What rings is in the band at the top.
import { byId, countdown, dateOf, el, known, minuteOf, soon, span, until, weekday, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";
import { put } from "/page/band.js";
import { dial } from "/page/icons.js";

let timers = [];
const whole = new Map(); // id -> the most seconds that a timer has had, which are its full ring

export async function load() { show(await ask("timers")); }

export function take(kind, body) {
  if (kind === "timers") show(body);
}

function show(list) { timers = list; renderSoon(); }

const isOver = ({ state }) => state === "ringing" || state === "unseen";

// actions are what can be done with a timer that does not ring; what has a time of day has no
// length to halt or to add to.
function actions({ state, at, kind }) {
  if (at) return ["cancel"];
  if (state === "paused") return ["resume", "cancel"];
  return kind === "end" ? ["add", "cancel"] : ["add", "pause", "cancel"];
}

const renderSoon = soon(() => {
  // Who has just pressed a button of a timer finds one there again.
  const focused = document.activeElement?.closest?.("#timers li")?.dataset.id, action = document.activeElement?.dataset?.action;
  const coming = timers.filter((timer) => !isOver(timer));
  for (const id of whole.keys()) if (!timers.some((timer) => timer.id === id)) whole.delete(id);
  byId("timers").replaceChildren(...coming.map(itemOf));
  byId("timers-none").hidden = coming.length > 0;
  put("timers", timers.filter(isOver).map(lineOf));
  if (!focused) return;
  const item = [...byId("timers").children].find((li) => li.dataset.id === focused);
  (item?.querySelector(`[data-action="${CSS.escape(action ?? "")}"]`) ?? item?.querySelector("button") ?? byId("timer-minutes")).focus();
});

const change = (timer, action, more = {}) => ask("change_timers", { action, timer: timer.id, ...more });

// titleOf is what a timer is called: by its own words where it has some.
const titleOf = (timer) => timer.name || timer.text || timer.command || known("timer_", timer.kind);

// lineOf is the line of the band for what rings, or has rung to its end and was not seen.
function lineOf(timer) {
  const loud = timer.state === "ringing";
  return {
    key: timer.id + timer.state, said: titleOf(timer), state: word(`timer_${timer.state}`), when: loud && !timer.at ? "" : minuteOf(timer.due), loud,
    stop: () => change(timer, "stop"), snooze: loud ? () => change(timer, "snooze") : null,
  };
}

function itemOf(timer) {
  const title = titleOf(timer), kind = known("timer_", timer.kind);
  const told = [title === kind ? "" : kind, timer.state === "paused" ? word("timer_paused") : timer.at ? "" : minuteOf(timer.due), timer.at ? daysOf(timer) : "", timer.area].filter(Boolean).join(" · ");
  const item = el("li", { className: "timer" }, timer.at ? el("span", { className: "value" }, minuteOf(timer.due)) : ringOf(timer),
    el("div", {}, el("strong", {}, title), el("div", { className: "quiet" }, told)),
    el("div", { className: "row wrap" }, ...actions(timer).map((action) => {
      const button = el("button", { type: "button", "data-action": action, "aria-label": `${word(`timer_${action}`)}: ${title}` }, word(`timer_${action}`));
      button.addEventListener("click", () => doing(button, () => change(timer, action, action === "add" ? { seconds: 300 } : {})));
      return button;
    })));
  item.dataset.id = timer.id;
  return item;
}

// ringOf is a ring that shrinks, with the seconds that are left in it.
function ringOf(timer) {
  const { svg, fill } = dial(), left = el("span", { className: "value" });
  whole.set(timer.id, Math.max(whole.get(timer.id) ?? 0, timer.length, timer.left));
  const draw = (seconds) => { fill(seconds / whole.get(timer.id)); return span(seconds); };
  if (timer.state === "running") countdown(left, () => draw(until(timer.due)));
  else left.textContent = draw(timer.left);
  return el("div", { className: timer.state === "running" ? "dial" : "dial paused" }, svg, left);
}

// daysOf says on which days something is due: those on which it comes again, else its date.
function daysOf({ every, due }) {
  if (!every) return dateOf(due);
  return ["day", "weekday", "weekend"].includes(every) ? word(`every_${every}`) : word("every_on", { day: weekday(every) });
}

byId("timer-new").addEventListener("submit", (event) => {
  event.preventDefault();
  const minutes = Number(byId("timer-minutes").value), name = byId("timer-name").value.trim();
  doing(event.submitter, async () => {
    await ask("change_timers", { action: "start", kind: "timer", seconds: Math.round(minutes * 60), ...(name ? { name } : {}) });
    byId("timer-name").value = "";
  });
});

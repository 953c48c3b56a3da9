// Timers, alarms, reminders and commands for later.
import { byId, countdown, el, known, soon, span, timeOf, until, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";

let timers = [];

export async function load() { show(await ask("timers")); }

export function take(kind, body) {
  if (kind === "timers") show(body);
}

function show(list) { timers = list; renderSoon(); }

const actions = { running: ["add", "pause", "cancel"], paused: ["resume", "cancel"], ringing: ["stop", "snooze"] };

const renderSoon = soon(() => {
  // Who has just pressed a button of a timer finds one there again.
  const focused = document.activeElement?.closest?.("#timers li")?.dataset.id, action = document.activeElement?.dataset?.action;
  const coming = timers.filter((timer) => timer.state !== "unseen");
  byId("timers").replaceChildren(...coming.map(itemOf));
  byId("timers-none").hidden = coming.length > 0;
  showRinging();
  if (!focused) return;
  const item = [...byId("timers").children].find((li) => li.dataset.id === focused);
  (item?.querySelector(`[data-action="${CSS.escape(action ?? "")}"]`) ?? item?.querySelector("button") ?? byId("timer-minutes")).focus();
});

// showRinging puts what rings at the top of the page, each with a button that ends it: where
// there is no speaker, nobody hears it. What has rung to its end stays there until it is seen.
function showRinging() {
  const rings = timers.filter((timer) => timer.state === "ringing" || timer.state === "unseen"), shown = rings.map((timer) => timer.id + timer.state).join(" ");
  const list = byId("ringing");
  if (list.dataset.shown === shown) return; // a button keeps its focus
  list.dataset.shown = shown;
  list.hidden = rings.length === 0;
  list.replaceChildren(...rings.map((timer) => {
    const kind = known("timer_", timer.kind), own = timer.name || timer.text || timer.command;
    const over = timer.state === "unseen", does = word(over ? "timer_seen" : "timer_stop");
    const button = el("button", { type: "button", "aria-label": `${does}: ${own || kind}` }, does);
    button.addEventListener("click", () => doing(button, () => ask("change_timers", { action: "stop", timer: timer.id })));
    return el("li", {}, el("div", { className: "row wrap" }, el("span", {}, own ? `${kind}: ${own}` : kind), el("span", {}, word(`timer_${timer.state}`)),
      over ? el("span", { className: "quiet" }, timeOf(timer.due)) : null, button));
  }));
}

function itemOf(timer) {
  const kind = known("timer_", timer.kind), own = timer.name || timer.text || timer.command, name = own || kind;
  const left = el("span", { className: timer.state === "ringing" ? "value bad" : "value" });
  if (timer.state === "running" && timer.due) countdown(left, () => span(until(timer.due)));
  else left.textContent = timer.state === "ringing" ? word("timer_ringing") : `${span(timer.left)} · ${word("timer_paused")}`;
  const item = el("li", {},
    el("div", { className: "row wrap" },
      el("span", {}, own ? `${kind}: ${own}` : kind), left,
      timer.at ? el("span", { className: "quiet" }, timeOf(timer.due)) : null,
      timer.area ? el("span", { className: "quiet" }, timer.area) : null,
      ...(actions[timer.state] ?? []).map((action) => {
        const button = el("button", { type: "button", "data-action": action, "aria-label": `${word(`timer_${action}`)}: ${name}` }, word(`timer_${action}`));
        button.addEventListener("click", () => doing(button, () => ask("change_timers", { action, timer: timer.id, ...(action === "add" ? { seconds: 60 } : {}) })));
        return button;
      })));
  item.dataset.id = timer.id;
  return item;
}

byId("timer-new").addEventListener("submit", (event) => {
  event.preventDefault();
  const minutes = Number(byId("timer-minutes").value), name = byId("timer-name").value.trim();
  doing(event.submitter, async () => {
    await ask("change_timers", { action: "start", kind: "timer", seconds: Math.round(minutes * 60), ...(name ? { name } : {}) });
    byId("timer-name").value = "";
  });
});

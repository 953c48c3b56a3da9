// A turn run once more, without touching the house: what is understood today beside what happened
// then.
import { el, known, say, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";

// named are the values of an object with their names.
const named = (object) => Object.entries(object ?? {}).map(([name, v]) => `${name}: ${value(v)}`);

const value = (v) => (v !== null && typeof v === "object" ? JSON.stringify(v) : known("value_", v));

// understood lists the intents of a turn in words.
export const understood = (turn) => (turn.intents?.length ? turn.intents : turn.intent ? [turn.intent] : []).map((intent) =>
  [intent.name, ...named(intent.slots)].join(", "));

// called lists the calls of a turn.
export const called = (turn) => (turn.calls ?? []).map((call) =>
  [`${call.tool}${call.server ? ` (${call.server})` : ""}`, ...named(call.args)].join(", "));

// rows are what is compared, each with the name of its word.
const rows = [
  ["why_heard", (turn) => [`“${turn.transcript?.text ?? ""}”`]],
  ["why_route", (turn) => [known("route_", turn.route)]],
  ["why_intent", understood],
  ["why_call", called],
  ["reply", (turn) => [turn.reply || (turn.calls?.length ? word("replay_planned") : known("outcome_", turn.outcome))]],
];

// button makes the button that runs a turn again, and the place where that is shown.
export function button(turn) {
  const told = el("p", { role: "status" }), shown = el("div");
  const press = el("button", { type: "button" }, word("replay"));
  press.addEventListener("click", () => doing(press, async () => {
    const outcome = await ask("replay", { id: turn.id });
    shown.replaceChildren(table(outcome));
    say(told, verdict(outcome) || (outcome.same ? word("replay_same") : word("replay_other")));
    told.className = { right: "good", wrong: "bad", open: "warn" }[outcome.verdict] ?? "";
  }));
  return el("div", { className: "replay" }, press, told, shown);
}

function verdict({ verdict: found, why }) {
  return found ? `${word(`verdict_${found}`)}: ${known("verdict ", why)}.` : "";
}

function table({ then, now, should }) {
  const body = rows.map(([name, of]) => {
    const before = of(then), today = of(now), cell = (all) => el("td", {}, ...(all.length ? all : ["–"]).map((line) => el("div", {}, line)));
    const after = cell(today);
    if (JSON.stringify(before) !== JSON.stringify(today)) after.className = "other";
    return el("tr", {}, el("th", { scope: "row" }, word(name)), cell(before), after);
  });
  const head = el("tr", {}, el("td"), el("th", { scope: "col" }, word("replay_then")), el("th", { scope: "col" }, word("replay_now")));
  return el("table", { className: "beside" },
    el("caption", {}, word("replay_done"), should ? ` ${word("mark_should")} “${should}”` : ""), el("thead", {}, head), el("tbody", {}, ...body));
}

// The conversation: what was said and answered, the newest at the bottom, each with why and how
// long everything took one tap away. Few turns are in the document at first, however many there
// are.
import { byId, dateOf, el, foreign, known, minuteOf, pause, say, soon, word } from "/page/dom.js";
import { ask, doing, offered } from "/page/api.js";
import { icon } from "/page/icons.js";
import { button as replay, called, understood } from "/page/replay.js";

const most = 1000;   // remembered here; the gateway may remember fewer
const asked = 100;   // of the gateway
const step = 25;     // shown at first, and with each press of the button

let turns = [];      // newest first
let shown = step;
let routes = [];
const items = new Map(); // id -> element
const said = byId("said"), all = byId("turns-all");
let atEnd = true;    // the newest is in view, and stays there

// isEmpty reports whether the page knows of no turn yet.
export const isEmpty = () => turns.length === 0;

// follow keeps the newest in view, unless the reader has scrolled up.
function follow() {
  if (atEnd) said.scrollTop = said.scrollHeight;
}

new ResizeObserver(follow).observe(said);
new ResizeObserver(follow).observe(all);
let before = 0; // where it was scrolled to
said.addEventListener("scroll", () => {
  if (making || said.clientHeight === 0) return; // no reader scrolls what is being made, or is not shown
  const near = said.scrollHeight - said.scrollTop - said.clientHeight < 24;
  if (near) {
    atEnd = true;
    byId("below").hidden = true;
  } else if (said.scrollTop < before) atEnd = false; // what comes at the end scrolls nothing up
  before = said.scrollTop;
}, { passive: true });
byId("below").addEventListener("click", () => {
  atEnd = true;
  byId("below").hidden = true;
  follow();
  items.get(turns[0]?.id)?.querySelector("summary").focus({ preventScroll: true });
});

// wait shows what was asked until the function that it returns is called. By then the turn is
// shown, or a notice says what went wrong.
export function wait(text) {
  const line = byId("pending");
  say(line, `${text} …`);
  line.hidden = false;
  atEnd = true;
  follow();
  return () => { line.hidden = true; };
}

export function start(about) { routes = about.routes; }

export async function load() {
  const list = await ask("turns", { limit: asked });
  const ids = new Set(list.map((turn) => turn.id));
  turns = [...list, ...turns.filter((turn) => !ids.has(turn.id))].sort((a, b) => (a.time < b.time ? 1 : -1)).slice(0, most);
  await render();
}

export function take(kind, body) {
  if (kind === "turn") add(body);
}

// add takes a turn that has ended. It may come twice, and once more as failed, when
// something of it turned out not to be done.
export function add(turn) {
  const at = turns.findIndex((other) => other.id === turn.id);
  if (at >= 0 && (turns[at].outcome === turn.outcome || turn.outcome !== "failed")) return;
  if (at >= 0) {
    items.get(turn.id)?.remove();
    items.delete(turn.id);
    turns[at] = { ...turn, belied: turns[at].outcome === "done" };
    renderSoon();
    return;
  }
  turns.unshift(turn);
  if (!atEnd) {
    shown++; // so that nothing goes away above what is being read
    byId("below").hidden = false;
  }
  if (turns.length > most) turns.length = most;
  renderSoon();
}

const renderSoon = soon(() => render());

byId("turns-more").addEventListener("click", async () => {
  const first = turns[shown]?.id, below = said.scrollHeight - said.scrollTop;
  shown += step;
  atEnd = false;
  await render();
  said.scrollTop = said.scrollHeight - below; // what was looked at stays where it is
  items.get(first)?.querySelector("summary")?.focus({ preventScroll: true });
});

let drawing = Promise.resolve(), making = false;

function render() {
  drawing = drawing.then(draw, draw);
  return drawing;
}

async function draw() {
  making = true;
  const list = byId("turns"), wanted = turns.slice(0, shown).reverse(), ids = new Set(wanted.map((turn) => turn.id));
  for (const [id, item] of items) if (!ids.has(id)) { item.remove(); items.delete(id); }
  let before = null, made = 0, date = dayOf(Date.now());
  for (const turn of wanted) {
    const day = dayOf(turn.time), first = day !== date;
    date = day;
    let item = items.get(turn.id);
    if (!item) {
      item = itemOf(turn);
      items.set(turn.id, item);
      if (++made % 10 === 0) await pause();
    }
    if (first) item.dataset.day = dateOf(turn.time);
    else delete item.dataset.day;
    const next = before ? before.nextSibling : list.firstChild;
    if (next !== item) list.insertBefore(item, next);
    before = item;
  }
  byId("turns-none").hidden = turns.length > 0;
  byId("turns-more").hidden = turns.length <= shown;
  follow();
  making = false;
}

const dayOf = (time) => new Date(time).toDateString();

// tone is that of the mark of a turn; what went well has none.
const tone = { failed: "bad", interrupted: "warn", ignored: "quiet" };

function itemOf(turn) {
  const text = turn.transcript?.text || ordered(turn) || word("turn_silent"), answer = turn.belied ? turn.error : turn.reply;
  const details = el("details", {},
    el("summary", {},
      el("span", { className: turn.transcript?.text || turn.control ? "asked" : "asked quiet" }, el("span", { dir: "auto" }, text), " ",
        el("time", { className: "at", dateTime: turn.time }, minuteOf(turn.time))), " → ",
      el("span", { className: "answer" }, el("strong", { dir: "auto", className: answer ? "" : tone[turn.outcome] }, answer || known("outcome_", turn.outcome)),
        ...(answer && tone[turn.outcome] ? [" ", el("span", { className: `pill ${tone[turn.outcome]}` }, known("outcome_", turn.outcome))] : []), icon("down"))));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(el("div", { className: "reasons" }, waterfall(turn), ...ending(turn), why(turn), marks(turn), ...again(turn)));
    if (details.open) reveal(item);
  });
  const item = el("li", {}, details);
  item.dataset.outcome = turn.outcome;
  return item;
}

// reveal scrolls as little as shows all of an item, or its beginning.
function reveal(item) {
  atEnd = false;
  said.scrollTop = Math.min(item.offsetTop, Math.max(said.scrollTop, item.offsetTop + item.offsetHeight - said.clientHeight));
}

// ordered says what was ordered without words: "Kitchen Light: on".
function ordered({ control }) {
  if (!control) return "";
  const { name, do: what, value = "" } = control;
  return `${name}: ${known("do_", what).replace("{value}", known("value_", value))}`;
}

// stages returns what a turn went through, each from where the one before it ended, in
// milliseconds from the end of speech.
export function stages(turn) {
  const t = turn.timings_ms ?? {}, all = [];
  let at = 0;
  const until = (name, end) => {
    if (end === null || end === undefined) return;
    all.push({ name: word(name), from: Math.min(at, end), to: end });
    at = Math.max(at, end);
  };
  if (t.speech_end) {
    if (turn.wake) all.push({ name: word("stage_wake"), from: -t.speech_end, to: -t.speech_end });
    all.push({ name: word("stage_speech"), from: -t.speech_end, to: 0 });
  }
  until("stage_endpoint", t.endpoint);
  until("stage_transcript", t.transcript);
  until("stage_publish", t.first_publish);
  for (const call of turn.calls ?? []) {
    const end = call.receipt?.confirmed && t.confirmed ? t.confirmed : (t.first_publish ?? at) + call.ms;
    all.push({ name: `${word("stage_call")}: ${call.receipt?.device || call.tool}`, from: Math.max(at > end ? 0 : 0, end - call.ms), to: end });
  }
  if (t.confirmed) { at = Math.min(at, t.confirmed); until("stage_receipt", t.confirmed); }
  if (t.first_audio !== null && t.first_audio !== undefined) { all.push({ name: word("stage_audio"), from: Math.min(at, t.first_audio), to: t.first_audio }); }
  if (t.total !== null && t.total !== undefined) all.push({ name: word("stage_total"), from: 0, to: t.total });
  return all;
}

function waterfall(turn) {
  const all = stages(turn);
  const first = Math.min(0, ...all.map((s) => s.from)), last = Math.max(1, ...all.map((s) => s.to)), width = last - first;
  const rows = all.map((stage) => {
    const bar = el("div", { className: "bar" });
    bar.style.insetInlineStart = `${((stage.from - first) / width) * 100}%`;
    bar.style.inlineSize = `${((stage.to - stage.from) / width) * 100}%`;
    return el("tr", {},
      el("th", { scope: "row" }, stage.name),
      el("td", { className: "ms" }, `${Math.round(stage.to - stage.from)} ms`),
      el("td", {}, el("div", { className: "track", "aria-hidden": "true" }, bar)));
  });
  return el("table", { className: "waterfall" }, el("caption", {}, word("waterfall")), el("tbody", {}, ...rows));
}

// ending draws the time around the end of speech frame by frame: how loud it was and what the
// words so far were, and what the time after that was spent on. It is one element.
function ending(turn) {
  const f = turn.endpoint?.frames, t = turn.timings_ms ?? {};
  if (!f) return [];
  const low = Math.min(...f.levels), span = Math.max(1, Math.max(...f.levels) - low), colours = { i: "quiet", g: "lamp", c: "good", r: "good" };
  const bars = f.levels.map((level, n) => [colours[f.judged[n]], 8 + (92 * (level - low)) / span]);
  const spoken = 1 - Math.round(f.from / f.length); // bars to the end of speech
  const after = [["stage_transcript", t.transcript, 45], ["stage_publish", t.first_publish, 30], ["stage_receipt", t.confirmed, 15]].filter(([, end]) => end);
  let at = f.from + f.levels.length * f.length;
  for (const [, end, high] of after) for (; at - f.length < end && bars.length < 90; at += f.length) bars.push(["bar", high]);
  const x = (n) => `${(n / bars.length) * 100}%`, beside = `calc(${x(spoken)} + 2px)`;
  const drawn = el("div", { className: "frames", "aria-hidden": "true" });
  drawn.style.backgroundImage = `linear-gradient(90deg, ${bars.map(([colour], n) => `var(--${colour}) ${x(n)} ${x(n + 1)}`).join()})`;
  drawn.style.clipPath = `polygon(0 100%, ${bars.map(([, high], n) => `${n === spoken ? `${x(n)} 0, ${beside} 0, ${beside}` : x(n)} ${100 - high}%, ${x(n + 1)} ${100 - high}%`).join()}, 100% 100%)`;
  return [el("figure", {},
    el("figcaption", {}, word("ending", { ms: f.length }), ...after.map(([name, end]) => ` · ${word(name)}: ${Math.round(end)} ms`)), drawn)];
}

function why(turn) {
  const list = el("dl", { "aria-label": word("why") });
  const tell = (name, ...content) => list.append(el("dt", {}, word(name)), el("dd", {}, ...content));
  if (turn.wake) tell("why_wake", `${turn.wake.word} (${turn.wake.score.toFixed(2)}, ${turn.wake.engine})`);
  if (turn.transcript) tell("why_heard", `“${turn.transcript.text}” (${turn.transcript.engine})`);
  if (turn.endpoint) tell("why_endpoint", known("endpoint_", turn.endpoint.reason));
  tell("why_source", known("source_", turn.source), turn.area ? `, ${turn.area}` : "");
  tell("why_route", known("route_", turn.route));
  if (turn.speech_act) tell("why_act", known("act_", turn.speech_act));
  for (const meant of understood(turn)) tell("why_intent", meant);
  const calls = called(turn);
  for (const [i, call] of (turn.calls ?? []).entries()) {
    const r = call.receipt;
    tell("why_call", calls[i]);
    if (r) {
      tell("why_receipt", `${r.device}: ${r.property === "on_off" ? "" : `${r.property} `}${text(r.value)}, ${known("receipt_", r.outcome)}`, r.reason ? ` (${known("reason_", r.reason)})` : "");
    } else if (!call.ok) tell("why_receipt", word("call_failed"), ...(call.reason ? [": ", foreign(call.reason)] : []));
  }
  for (const j of turn.judgements ?? []) tell("why_judged", foreign(`${j.choice ?? ""} ${j.reason ?? ""}`));
  if (turn.error) tell("why_error", foreign(turn.error));
  return list;
}

const text = (value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : known("value_", value));

// again is the button of a gateway that runs turns once more, for a turn with words.
const again = (turn) => (offered(routes, "replay") && turn.transcript?.text ? [replay(turn)] : []);

// marks are the buttons of a gateway that keeps what was wrong, and wordings.
function marks(turn) {
  const row = el("div", { className: "row wrap" });
  const told = el("span", { role: "status" });
  if (offered(routes, "wrong") && !turn.control) {
    const id = `should-${turn.id}`, should = el("input", { id, maxLength: 500, autocomplete: "off" });
    const button = el("button", {}, word("mark_wrong"));
    const form = el("form", { className: "row wrap" }, el("label", { for: id }, word("mark_should")), should, button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      doing(button, async () => { await ask("wrong", { id: turn.id, should: should.value.trim() }); say(told, word("marked")); });
    });
    row.append(form);
  }
  const acted = (turn.calls ?? []).length > 0 && turn.calls.every((call) => call.receipt?.confirmed);
  if (offered(routes, "remember") && turn.route === "model" && acted) {
    const button = el("button", { type: "button" }, word("remember"));
    button.addEventListener("click", () => doing(button, async () => { await ask("remember", { id: turn.id }); say(told, word("remembered")); }));
    row.append(button);
  }
  row.append(told);
  return row;
}

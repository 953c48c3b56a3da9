// The house by area, with the states its servers report, and what is wrong with it.
import { byId, el, known, pause, say, soon, word } from "/page/dom.js";
import { ask } from "/page/api.js";

const entities = new Map(); // id -> entity
const rows = new Map();     // id -> {row, value}
let early = null;           // changes that come while the house is read
const low = 20;             // percent of a battery

export async function load() {
  early = [];
  try {
    const house = await ask("home");
    entities.clear();
    for (const entity of house.entities ?? []) entities.set(entity.id, entity);
  } finally {
    const changes = early;
    early = null;
    for (const change of changes) apply(change);
  }
  await render();
}

export function take(kind, body) {
  if (kind !== "house") return;
  if (early) early.push(body);
  else if (apply(body)) renderSoon();
  else wrongSoon();
}

// apply takes changes over and reports whether rows come, go or move.
function apply({ entities: changed, gone }) {
  let moved = gone.length > 0;
  for (const id of gone) entities.delete(id);
  for (const entity of changed) {
    const before = entities.get(entity.id);
    entities.set(entity.id, entity);
    if (!before || before.area !== entity.area || before.name !== entity.name) moved = true;
    else update(entity);
  }
  return moved;
}

const renderSoon = soon(() => render());
const wrongSoon = soon(wrong);
let drawing = Promise.resolve();

function render() {
  drawing = drawing.then(draw, draw);
  return drawing;
}

async function draw() {
  const byArea = new Map();
  for (const entity of entities.values()) {
    const area = entity.area || word("area_none");
    if (!byArea.has(area)) byArea.set(area, []);
    byArea.get(area).push(entity);
  }
  rows.clear();
  const areas = [];
  let made = 0;
  for (const [area, list] of [...byArea].sort(([a], [b]) => a.localeCompare(b))) {
    const items = [];
    for (const entity of list.sort((a, b) => a.name.localeCompare(b.name))) {
      const value = el("span", { className: "value" }), row = el("li", {}, el("span", {}, entity.name), value);
      rows.set(entity.id, { row, value });
      update(entity);
      items.push(row);
      if (++made % 40 === 0) await pause();
    }
    areas.push(el("section", { "aria-label": area }, el("h3", {}, area), el("ul", { className: "list" }, ...items)));
  }
  byId("areas").replaceChildren(...areas);
  byId("house-none").hidden = entities.size > 0;
  wrong();
}

function update(entity) {
  const shown = rows.get(entity.id);
  if (!shown) return;
  const why = trouble(entity);
  shown.value.className = why ? "value bad" : "value";
  say(shown.value, why && entity.reachable === false ? why : stateOf(entity));
}

// isLowCode tells a battery that is low without a percentage: by a word, or by a number
// that is no percentage, such as 255.
function isLowCode(state) {
  return state === "low" || typeof state === "number" && (state < 0 || state > 100);
}

function stateOf({ state, attributes }) {
  if (state === null || state === undefined) return "–";
  if (typeof state === "object") return JSON.stringify(state);
  if (attributes?.device_class === "battery" && isLowCode(state)) return word("value_low");
  if (typeof state === "number") return `${Math.round(state * 100) / 100}${attributes?.unit ? ` ${attributes.unit}` : ""}`;
  return known("value_", state);
}

// trouble says what is wrong with a thing, "" for nothing.
function trouble(entity) {
  if (entity.reachable === false) return word("wrong_unreachable");
  const kind = entity.attributes?.device_class;
  if (kind === "battery" && isLowCode(entity.state)) return word("wrong_battery_low");
  if (kind === "battery" && typeof entity.state === "number" && entity.state <= low) return word("wrong_battery", { level: entity.state });
  if (entity.state === "jammed") return word("wrong_jammed");
  return "";
}

function wrong() {
  const all = [];
  for (const entity of entities.values()) {
    const why = trouble(entity);
    if (why) all.push(el("li", { className: "bad" }, `${entity.name}${entity.area ? ` (${entity.area})` : ""}: ${why}`));
  }
  byId("wrong").hidden = all.length === 0;
  byId("wrong").replaceChildren(...all);
}

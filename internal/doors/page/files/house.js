// The house by rooms: what a family looks at as tiles, the rest behind "details"; above them
// what is on or open, and what is wrong.
import { byId, el, pause, say, soon, word } from "/page/dom.js";
import { ask } from "/page/api.js";
import { counted, glance, isLowCode, isTile, isWide, measured, stateOf, timeOf, warns } from "/page/kinds.js";
import { put as warn } from "/page/band.js";
import * as arrangement from "/page/arrange.js";
import { offer as offerAll } from "/page/all.js";
import { show as showRooms } from "/page/rooms.js";
import { order as orderTile, tileOf, update as updateTile } from "/page/tiles.js";

const things = new Map();   // id -> thing, as the gateway or its own receipt has told it
const seen = new Map();     // id -> {state, values, at}, as it was when its state was told last
const entities = new Map(); // id -> thing, as it is shown: it may be old
const tiles = new Map();    // id -> tile, kept while what it offers stays the same
const rows = new Map();     // id -> value, of what is behind "details"
const rooms = new Map();    // area -> {line, ids of its things}
const opened = new Set();   // rooms whose details are open
let early = null;           // changes that come while the house is read
let away = [];              // the houses that cannot be reached
let lost = "";              // when the gateway was heard from last; "" while it is there
const low = 20;             // percent of a battery

export function start(about) { arrangement.start(about, renderSoon); }

export async function load() {
  early = [];
  try {
    const [house] = await Promise.all([ask("home"), arrangement.load()]);
    away = house.away ?? [];
    things.clear();
    entities.clear();
    for (const thing of house.entities ?? []) note(thing);
    for (const thing of things.values()) entities.set(thing.id, age(thing));
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
  else sumUpSoon();
}

// lose takes note that the gateway cannot be asked, and of when it was heard from last; "" says that
// it is there again.
export function lose(since) {
  lost = since;
  for (const thing of things.values()) put(thing);
  sumUpSoon();
}

// note takes what is told of a thing, and remembers its state for the time when nobody tells it.
function note(thing) {
  things.set(thing.id, thing);
  if (thing.state !== null && thing.state !== undefined) seen.set(thing.id, { state: thing.state, values: thing.values, at: new Date().toISOString() });
}

// age returns a thing as it is shown. Where its house, or the gateway, cannot be asked, it is old: it
// has the state that was known last, the time of that, and the id of the line that says why.
function age(thing) {
  const house = away.find(({ server }) => server === thing.server);
  if (!house && !lost) return { ...thing, old: false };
  const last = seen.get(thing.id), untold = (thing.state === null || thing.state === undefined) && last;
  const from = house ? (untold ? last.at : thing.told ?? house.since ?? last?.at) : thing.told ?? lost;
  return { ...thing, ...(untold ? { state: last.state, values: last.values } : {}), old: true, from, because: house ? `away-${house.server}` : "lost" };
}

// put shows a thing anew, and reports whether it comes or moves.
function put(thing) {
  const entity = age(thing), before = entities.get(entity.id);
  entities.set(entity.id, entity);
  if (!before || before.area !== entity.area || before.name !== entity.name || offer(before) !== offer(entity)) return true;
  update(entity);
  return false;
}

// apply takes changes over and reports whether things come, go or move.
function apply({ entities: changed, gone, away: told }) {
  const now = told ?? [];
  let moved = gone.length > 0;
  for (const id of gone) for (const kept of [things, seen, entities]) kept.delete(id);
  for (const thing of changed) note(thing);
  const turned = JSON.stringify(away) !== JSON.stringify(now);
  away = now;
  for (const thing of turned ? things.values() : changed) moved = put(thing) || moved;
  return moved;
}

// offer is what the parts of a tile depend on.
const offer = (entity) => JSON.stringify([entity.domain, entity.control, entity.abilities, entity.attributes]);

const renderSoon = soon(() => render());
const sumUpSoon = soon(sumUp);
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
  for (const id of tiles.keys()) if (!entities.has(id)) tiles.delete(id);
  rows.clear();
  rooms.clear();
  const areas = new Map(), order = arrangement.inOrder(byArea.keys());
  let made = 0;
  for (const area of order) {
    const list = byArea.get(area), shown = [], rest = [];
    for (const entity of list.sort(compare)) {
      if (isTile(entity) && (arrangement.arranging() || !arrangement.isHidden(entity.id))) shown.push(tileItem(entity));
      else rest.push(row(entity));
      if (++made % 40 === 0) await pause();
    }
    const line = el("p", { className: "measured" }), head = el("div", { className: "head" }, el("h3", {}, area), line);
    rooms.set(area, { line, ids: list.map((entity) => entity.id) });
    const section = el("section", { "aria-label": area, className: "room" }, head,
      shown.length ? el("ul", { className: "tiles" }, ...shown) : null,
      rest.length ? details(area, rest) : null);
    arrangement.movable(section, head, area, order);
    areas.set(area, section);
  }
  const focused = document.activeElement, key = focused?.dataset?.key; // of a button that is replaced
  byId("areas").replaceChildren(...areas.values());
  if (!key && byId("areas").contains(focused)) focused.focus({ preventScroll: true }); // it was taken out, and put back
  if (key) {
    const again = byId("areas").querySelector(`[data-key="${CSS.escape(key)}"]`);
    (again?.disabled ? again.parentNode.querySelector("button:enabled") : again)?.focus();
  }
  showRooms(areas);
  byId("house-none").hidden = entities.size > 0;
  arrangement.offer(entities.size > 0);
  sumUp();
}

// compare puts lights first, then what else is switched, then what has buttons, then what is
// only watched.
function compare(a, b) {
  const rank = (e) => (e.domain === "light" ? 0 : !e.control ? 3 : isWide(e) ? 2 : 1);
  return rank(a) - rank(b) || a.name.localeCompare(b.name);
}

function details(area, rest) {
  const made = el("details", { open: opened.has(area) }, el("summary", {}, word("details")), el("ul", { className: "list" }, ...rest));
  made.addEventListener("toggle", () => { if (made.open) opened.add(area); else opened.delete(area); });
  return made;
}

function tile(entity) {
  const kept = tiles.get(entity.id);
  if (kept && offer(kept.entity) === offer(entity) && kept.entity.name === entity.name) {
    updateTile(kept, entity);
    return kept;
  }
  const made = tileOf(entity, (after) => { note(after); put(after); sumUpSoon(); });
  tiles.set(entity.id, made);
  return made;
}

// tileItem is the item of a tile, with the button that hides it while the house is arranged.
function tileItem(entity) {
  const { item } = tile(entity), hide = arrangement.hider(entity);
  item.querySelector(".hider")?.remove();
  item.classList.toggle("hidden", arrangement.isHidden(entity.id));
  if (hide) item.append(hide);
  return item;
}

function row(entity) {
  const value = el("span", { className: "value" });
  rows.set(entity.id, value);
  update(entity);
  return el("li", {}, el("span", {}, entity.name), value);
}

function update(entity) {
  if (tiles.has(entity.id)) updateTile(tiles.get(entity.id), entity);
  const value = rows.get(entity.id);
  if (!value) return;
  value.className = trouble(entity) ? "value bad" : "value";
  say(value, stateOf(entity));
}

// trouble says what is wrong with a thing, "" for nothing.
function trouble(entity) {
  if (entity.old) return ""; // that of its house is said above
  if (entity.reachable === false) return word("wrong_unreachable");
  const kind = entity.attributes?.device_class;
  if (kind === "battery" && isLowCode(entity.state)) return word("wrong_battery_low");
  if (kind === "battery" && typeof entity.state === "number" && entity.state <= low) return word("wrong_battery", { level: entity.state });
  if (entity.state === "jammed") return word("wrong_jammed");
  return "";
}

// sumUp says what is on or open, what is measured in each room, and what is wrong.
function sumUp() {
  for (const { line, ids } of rooms.values()) say(line, measured(ids.map((id) => entities.get(id)).filter(Boolean)));
  const all = [...entities.values()], wrong = [], links = [];
  tellAway(all);
  byId("house").classList.toggle("lost", Boolean(lost));
  if (lost) return; // what is summed up stays as it was, so that nothing moves under a finger
  for (const entity of all) {
    const why = trouble(entity);
    if (why) wrong.push({ entity, text: `${entity.name}${entity.area ? ` (${entity.area})` : ""}: ${why}` });
  }
  byId("wrong").hidden = wrong.length === 0;
  byId("wrong").replaceChildren(...wrong.map(({ text }) => el("li", { className: "bad" }, text)));
  warn("house", all.filter(warns).map((entity) => (
    { key: entity.id, said: entity.area ? `${entity.name} (${entity.area})` : entity.name, state: stateOf(entity), loud: true })));
  for (const group of glance) {
    const some = all.filter((entity) => !entity.old && group.is(entity));
    if (group.act) offerAll(group, entities, order);
    if (some.length) links.push({ text: some.length === 1 ? `${some[0].name}: ${stateOf(some[0])}` : word(group.word, { count: some.length }), to: some[0].id });
  }
  // The list of what is wrong is below the rooms, so that no tile moves under a finger when
  // something is mended; what leads to it is here.
  if (wrong.length) links.push({ text: wrong.length === 1 ? wrong[0].text : word("sum_wrong", { count: wrong.length }), to: wrong.length === 1 ? wrong[0].entity.id : "" });
  const locks = all.filter((e) => e.domain === "lock");
  if (links.length && locks.length && locks.every((e) => e.state === "locked" && e.reachable !== false && !e.old)) links.push({ text: locks.length === 1 ? `${locks[0].name}: ${stateOf(locks[0])}` : word("sum_locked"), to: locks[0].id });
  const sure = all.some(counted) && all.filter(counted).every((e) => e.state !== null && e.reachable !== false && !e.old);
  show(links, links.length === 0 && sure);
}

// tellAway says above the house which of it is old, and since when. A house is named beside others.
function tellAway(all) {
  const lines = byId("away"), told = away.filter(({ server }) => all.some((entity) => entity.server === server));
  for (const line of [...lines.children]) if (!told.some(({ server }) => line.id === `away-${server}`)) line.remove();
  const several = new Set(all.map(({ server }) => server)).size > 1;
  for (const { server, name, since } of told) {
    const text = since ? word("away_since", { time: timeOf(since) }) : word("away");
    const line = byId(`away-${server}`) ?? lines.appendChild(el("p", { id: `away-${server}` }));
    say(line, several ? `${name}: ${text}` : text);
  }
}

// order asks one thing for an act of a group.
function order(entity, ...act) {
  if (lost) say(byId("notice"), word("lost"));
  return orderTile(tile(entity), ...act);
}

// show puts the links above the rooms. A link that stays is not made anew, so that a finger or
// the keyboard that is on it finds it still there.
function show(links, quiet) {
  const list = byId("glance"), held = list.contains(document.activeElement);
  links.forEach(({ text, to }, at) => {
    let link = list.children[at]?.querySelector("a");
    if (!link) {
      link = el("a", {});
      link.addEventListener("click", (event) => { event.preventDefault(); lead(event.currentTarget.dataset.to); });
      list.insertBefore(el("li", {}, link), list.children[at] ?? null);
    }
    link.dataset.to = to;
    link.href = `#${encodeURIComponent(`thing-${to}`)}`;
    if (link.textContent !== text) link.textContent = text;
  });
  for (const item of [...list.children].slice(links.length)) item.remove();
  if (quiet) list.append(el("li", { className: "quiet" }, word("sum_quiet")));
  if (held && !list.contains(document.activeElement)) (list.querySelector("li:last-child a") ?? byId("content")).focus();
}

// lead goes to the tile of a thing, or to what is wrong.
function lead(id) {
  const item = tiles.get(id)?.item ?? byId("wrong");
  item.scrollIntoView({ block: "center" });
  const target = item.querySelector("button, input, select") ?? item;
  if (target === item) item.tabIndex = -1;
  target.focus();
}

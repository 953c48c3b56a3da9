// One tile for each thing: it shows the state that the thing has reported, and acts. What is
// asked for is pending until the receipt is there; nothing is shown before the thing has
// confirmed it.
import { el, known, say, word } from "/page/dom.js";
import { ask } from "/page/api.js";
import { draw, icon } from "/page/icons.js";
import { partsOf } from "/page/appliances.js";
import { can, colours, degrees, hexOf, hueOf, iconOf, isWide, level, percent, setPoints, stateOf, taken, tap, tone } from "/page/kinds.js";

const settle = 500;    // ms in which presses of − and + become one act
const shownFor = 6000; // ms for which a confirmation is shown

// tileOf makes the tile of a thing; changed is told of its state after an act.
export function tileOf(entity, changed) {
  const tile = { entity, changed, waiting: 0, count: 0, follows: [], item: el("li", { id: `thing-${entity.id}`, className: "tile", "data-thing": entity.id }) };
  tile.name = el("span", { className: "name" }, entity.name);
  tile.value = el("span", { className: "value" });
  tile.icon = icon(iconOf(entity));
  const face = [tile.icon, tile.name, tile.value];
  if (tap(entity)) {
    tile.face = el("button", { type: "button", className: "face" }, ...face);
    tile.face.addEventListener("click", () => {
      const { act, asks } = tap(tile.entity);
      if (asks) question(tile, act);
      else send(tile, act);
    });
  } else {
    tile.face = el("div", { className: "face" }, ...face);
  }
  tile.item.append(tile.face);
  if (isWide(entity)) tile.item.classList.add("wide");
  const kit = { button, send, follow: (shown) => tile.follows.push(shown) };
  for (const made of [moving(tile), ...partsOf(tile, kit), sliding(tile), heating(tile), colouring(tile)]) if (made) tile.item.append(made);
  update(tile, entity);
  return tile;
}

// update shows a thing as it is now.
export function update(tile, entity) {
  const before = tile.value.textContent, back = tile.entity.old && !entity.old;
  tile.entity = entity;
  say(tile.name, entity.name);
  say(tile.value, stateOf(entity));
  draw(tile.icon, iconOf(entity));
  tile.item.dataset.tone = tone(entity);
  if (back || entity.old) describe(tile);
  const colour = entity.domain === "light" && entity.state === "on" ? entity.values?.colour ?? "" : "";
  tile.item.style.setProperty("--light", /^#[0-9a-f]{6}$/i.test(colour) ? colour : "");
  tile.paint?.(entity);
  if (tile.waiting === 0) for (const follow of tile.follows) follow(entity);
  const settled = !["failed", "pending", "asked"].includes(tile.item.dataset.proof) && before !== tile.value.textContent;
  if (tile.waiting === 0 && (settled || back)) forget(tile); // that it could not be reached is over
}

// describe has a screen reader say with each control of a tile why it is old.
function describe({ item, entity }) {
  for (const control of item.querySelectorAll("button, input, select")) {
    if (entity.old) control.setAttribute("aria-describedby", entity.because);
    else control.removeAttribute("aria-describedby");
  }
}

// button is a small one of a tile; its name says what it does with which thing.
function button(tile, drawn, name, act) {
  const made = el("button", { type: "button", "aria-label": word(name, { name: tile.entity.name }), "data-act": name }, icon(drawn));
  made.addEventListener("click", act);
  return made;
}

// moving are up, stop and down.
function moving(tile) {
  const { entity } = tile;
  if (!["cover", "valve"].includes(entity.domain) || !entity.control) return null;
  return el("div", { className: "acts" },
    button(tile, "up", "tile_open", () => send(tile, "open")),
    can(entity, "stop") ? button(tile, "halt", "tile_halt", () => send(tile, "stop")) : null,
    button(tile, "down", "tile_close", () => send(tile, "close")));
}

const sliders = { brightness: "tile_level", speed: "tile_speed", position: "tile_position", volume: "tile_volume", target_humidity: "tile_humidity" };
const dark = ["brightness", "speed"]; // with which 0 is off

// sliding sets a brightness, a speed or a position.
function sliding(tile) {
  const set = level(tile.entity);
  if (!set) return null;
  const slider = el("input", { type: "range", min: "0", max: "100", step: "5", "aria-label": word(sliders[set.ability], { name: tile.entity.name }) });
  const tell = (at) => { slider.setAttribute("aria-valuetext", percent(at)); say(told, percent(at)); };
  const told = el("span", { className: "told", "aria-hidden": "true" });
  slider.addEventListener("input", () => { slider.dataset.held = "1"; tell(Number(slider.value)); });
  slider.addEventListener("change", () => {
    delete slider.dataset.held;
    const at = Number(slider.value);
    if (at === 0 && dark.includes(set.ability)) send(tile, "off");
    else send(tile, set.act, at);
  });
  tile.follows.push((entity) => {
    if (slider.dataset.held) return;
    const at = ["off", "closed"].includes(entity.state) && !["volume", "target_humidity"].includes(set.ability) ? 0 : entity.values?.[set.ability];
    slider.value = String(at ?? 100);
    if (at !== undefined) return tell(at);
    slider.setAttribute("aria-valuetext", stateOf(entity)); // how much is not known
    say(told, "");
  });
  tile.slide = el("div", { className: "acts slide" }, slider, told);
  return tile.slide;
}

// heating is a thermostat: what it is set to with less and more, and its mode.
function heating(tile) {
  const { entity } = tile;
  if (!["climate", "water_heater"].includes(entity.domain) || !entity.control) return null;
  const wanted = el("output", {});
  let at = null, timer = 0, asked = null; // asked is what was sent and has no receipt yet
  const tell = async () => {
    const value = asked = at;
    at = null;
    await send(tile, "setpoint", value);
    if (asked === value) asked = null;
  };
  const step = (by) => {
    const { min, max, step: one } = setPoints(tile.entity), from = at ?? asked ?? tile.entity.values?.setpoint;
    if (typeof from !== "number") return;
    at = Math.min(Math.max(Math.round((from + by * one) / one) * one, min), max);
    say(wanted, degrees(at));
    wanted.classList.add("open");
    clearTimeout(timer);
    timer = setTimeout(tell, settle);
  };
  const modes = entity.attributes?.modes, choice = Array.isArray(modes) && can(entity, "mode") && entity.domain === "climate"
    ? el("select", { "aria-label": word("tile_mode", { name: entity.name }) }, ...modes.map((mode) => el("option", { value: mode }, known("value_", mode)))) : null;
  choice?.addEventListener("change", () => send(tile, "mode", choice.value));
  tile.follows.push(({ values }) => {
    if (choice && values?.mode) choice.value = values.mode;
    if (at !== null) return;
    wanted.classList.remove("open");
    const is = typeof values?.setpoint === "number";
    for (const part of steps) part.hidden = !is; // off, or between two set points: there is nothing to step from
    say(wanted, is ? degrees(values.setpoint) : "");
  });
  const steps = can(entity, "setpoint") ? [button(tile, "less", "tile_cooler", () => step(-1)), wanted, button(tile, "more", "tile_warmer", () => step(1))] : [];
  return steps.length || choice ? el("div", { className: "acts" }, ...steps, choice) : null;
}

// colouring gives a light a colour: one that has a name, a white, or any hue. What there is to
// choose from is shown on request.
function colouring(tile) {
  const { entity } = tile;
  if (entity.domain !== "light" || !can(entity, "colour")) return null;
  const swatches = Object.entries(colours).map(([name, { hex, asked }]) => {
    const swatch = el("button", { type: "button", className: "swatch", "aria-label": `${word(`colour_${name}`)}: ${entity.name}`, "aria-pressed": "false", title: word(`colour_${name}`) });
    swatch.style.setProperty("--swatch", hex);
    swatch.addEventListener("click", () => send(tile, "colour", asked));
    return { swatch, hex };
  });
  const hue = el("input", { type: "range", className: "hue", min: "0", max: "355", step: "5", "aria-label": word("tile_hue", { name: entity.name }) });
  const tell = () => { hue.setAttribute("aria-valuetext", `${hue.value}°`); hue.style.setProperty("--swatch", hexOf(Number(hue.value))); };
  hue.addEventListener("input", () => { hue.dataset.held = "1"; tell(); });
  hue.addEventListener("change", () => { delete hue.dataset.held; send(tile, "colour", hexOf(Number(hue.value))); });
  const panel = el("div", { className: "acts colours", role: "group", "aria-label": word("tile_colour", { name: entity.name }), hidden: true }, ...swatches.map(({ swatch }) => swatch), hue);
  const opener = button(tile, "palette", "tile_colour", () => { panel.hidden = !panel.hidden; opener.setAttribute("aria-expanded", String(!panel.hidden)); });
  opener.setAttribute("aria-expanded", "false");
  tile.paint = ({ values, state }) => {
    const now = String(values?.colour ?? "").toLowerCase();
    for (const { swatch, hex } of swatches) swatch.setAttribute("aria-pressed", String(state === "on" && hex === now));
    const at = hueOf(now);
    if (!hue.dataset.held && at !== null) hue.value = String(at);
    tell();
  };
  (tile.slide ?? tile.item.appendChild(el("div", { className: "acts" }))).append(opener);
  return panel;
}

// order asks a thing for an act from elsewhere on the page. Acts of one group are taken back together.
export const order = (tile, act, value, group) => send(tile, act, value, group);

// stop is where the keyboard comes to a tile.
const stop = (tile) => tile.item.querySelector("button, input, select");

// note says what became of an act, in the tile itself.
function note(tile, proof, text, again, name = "tile_again") {
  clearTimeout(tile.timer);
  tile.item.dataset.proof = proof;
  if (!tile.told) {
    tile.told = el("span", { role: "status" });
    tile.item.append(el("div", { className: "note" }, tile.told));
  }
  say(tile.told, text);
  if (tile.again) {
    if (document.activeElement === tile.again) stop(tile).focus();
    tile.again.remove();
    tile.again = null;
  }
  if (!again) return;
  tile.again = el("button", { type: "button", "aria-label": `${word(name)}: ${tile.entity.name}` }, word(name));
  tile.again.addEventListener("click", () => { stop(tile).focus(); again(); });
  tile.told.parentNode.append(tile.again);
}

function forget(tile) {
  if (tile.item.dataset.proof) note(tile, "", "");
}

// question asks before an act, with the button that does it.
function question(tile, act) {
  note(tile, "asked", word("tile_ask", { name: tile.entity.name }), () => send(tile, act, undefined, undefined, true), "tile_run");
  tile.timer = setTimeout(() => forget(tile), 2 * shownFor);
  tile.again.focus();
}

// send asks for an act; confirmed says that the person has agreed to it. The tile shows the last one
// that was asked for.
async function send(tile, what, value, group, confirmed) {
  const mine = ++tile.count, thing = tile.entity.id, retry = () => send(tile, what, value, group, confirmed);
  tile.waiting++;
  note(tile, "pending", word("tile_pending"));
  let out = null, lost = "";
  try {
    out = await ask("control", { thing, do: what, value, group, confirmed, source: "page" });
  } catch (problem) {
    lost = problem.message;
  }
  tile.waiting--;
  const sent = out?.receipt;
  if (sent?.confirmed) tile.changed(taken(tile.entity, out));
  else update(tile, tile.entity);
  if (mine !== tile.count) return; // something else was asked for since
  if (!out) note(tile, "failed", lost, retry);
  else if (sent?.confirmed) {
    note(tile, "confirmed", known("receipt_", "confirmed"));
    tile.timer = setTimeout(() => forget(tile), shownFor);
  } else if (out.outcome === "accepted") note(tile, "accepted", sent?.reason ? known("reason_", sent.reason) : known("receipt_", "accepted"));
  else note(tile, "failed", out.said || known("receipt_", sent?.outcome ?? "refused"), tile.entity.guarded ? null : retry);
}

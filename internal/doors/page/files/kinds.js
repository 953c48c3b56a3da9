// What the page knows of each kind of thing: its icon, its words, and what can be done with
// it. It draws nothing.
import { known, word } from "/page/dom.js";
import * as appliances from "/page/appliances.js";
import { language } from "/page/words.js";

// shown are the domains that a family looks at; the rest is behind "details".
const shown = ["light", "switch", "fan", "cover", "lock", "climate", "valve", "media_player", "vacuum", "lawn_mower", "humidifier", "water_heater", "siren", "scene", "script", "todo", "alarm_control_panel"];

// watched are the classes of sensors that a family looks at.
const watched = ["door", "window", "garage_door", "opening", "motion", "occupancy", "presence", "smoke", "moisture", "gas", "carbon_monoxide", "safety", "vibration"];

const classOf = (entity) => entity.attributes?.device_class ?? "";

export const isTile = (entity) => shown.includes(entity.domain) || entity.domain === "binary_sensor" && (watched.includes(classOf(entity)) || !classOf(entity));

// isWide tells a thing whose tile has several buttons.
export const isWide = (entity) => Boolean(entity.control) && (["cover", "valve", "climate"].includes(entity.domain) || appliances.isWide(entity));

export const can = (entity, ability) => Boolean(entity.control) && (entity.abilities ?? []).includes(ability);

// level is the ability that a slider sets, with the word for it.
export function level(entity) {
  for (const [ability, act] of [["brightness", "level"], ["speed", "level"], ["position", "position"], ["volume", "level"], ["target_humidity", "humidity"]]) if (can(entity, ability)) return { ability, act };
  return null;
}

// colours are those that a light is given by their name, with what the gateway is asked for. A
// white is about 2700, 4000 or 6500 kelvin.
export const colours = {
  warm: { hex: "#ffa757", asked: "warm white" }, neutral: { hex: "#ffd1a3", asked: "cool white" }, cold: { hex: "#fffefa", asked: "cold white" },
  red: { hex: "#ff0000", asked: "red" }, orange: { hex: "#ff8000", asked: "orange" }, yellow: { hex: "#ffff00", asked: "yellow" }, green: { hex: "#00ff00", asked: "green" },
  turquoise: { hex: "#40e0d0", asked: "turquoise" }, blue: { hex: "#0000ff", asked: "blue" }, purple: { hex: "#8000ff", asked: "purple" }, pink: { hex: "#ff0080", asked: "pink" },
};

// hexOf is the full colour of a hue in degrees, as #rrggbb.
export function hexOf(hue) {
  const part = (n) => { const k = (n + hue / 60) % 6; return Math.round(255 * (1 - Math.max(0, Math.min(k, 4 - k, 1)))); };
  return `#${[5, 3, 1].map((n) => part(n).toString(16).padStart(2, "0")).join("")}`;
}

// hueOf is the hue of a colour in degrees, in steps of five; null for a colour without one, such as white.
export function hueOf(hex) {
  if (!/^#[0-9a-f]{6}$/.test(hex)) return null;
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)), most = Math.max(r, g, b), span = most - Math.min(r, g, b);
  if (span === 0) return null;
  const sixth = most === r ? ((g - b) / span + 6) % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4;
  return Math.round(sixth * 12) * 5 % 360;
}

// gates are classes of covers that are no blinds.
const gates = ["garage", "garage_door", "gate", "door"];

export function iconOf(entity) {
  const kind = classOf(entity);
  switch (entity.domain) {
    case "light": return "lamp";
    case "switch": case "siren": return "plug";
    case "fan": return "fan";
    case "cover": return gates.includes(kind) ? "garage" : kind === "window" ? "window" : "blind";
    case "lock": return entity.state === "unlocked" ? "unlock" : "lock";
    case "climate": case "water_heater": return "heat";
    case "valve": return "valve";
    case "binary_sensor":
      if (kind === "window") return "window";
      if (["motion", "occupancy", "presence", "vibration"].includes(kind)) return "motion";
      if (kind === "moisture") return "drop";
      return ["smoke", "gas", "carbon_monoxide", "safety"].includes(kind) ? "bell" : "door";
  }
  return appliances.icons[entity.domain] ?? "dot";
}

// tone is how a thing stands out: lit, open, or bad.
export function tone(entity) {
  if (entity.old) return "old";
  if (entity.reachable === false) return "away";
  const { domain, state } = entity;
  if (domain === "binary_sensor" && state === "detected") return ["motion", "occupancy", "presence"].includes(classOf(entity)) ? "lit" : "bad";
  if (state === "jammed") return "bad";
  if (domain === "lock") return state === "unlocked" ? "open" : "";
  if (domain === "climate") return entity.values?.activity === "heating" ? "lit" : "";
  if (domain === "cover" || domain === "valve" || domain === "binary_sensor") return ["open", "opening", "closing"].includes(state) ? "open" : "";
  return appliances.tones[state] ?? (state === "on" ? "lit" : "");
}

// warns tells a thing that must not wait: what the gateway warns of aloud.
export const warns = (entity) => entity.domain === "binary_sensor" && entity.state === "detected" && ["smoke", "moisture", "gas", "carbon_monoxide"].includes(classOf(entity));

// tap is what a tap on a thing asks for; null: nothing.
export function tap(entity) {
  if (!entity.control) return null;
  const own = appliances.tap(entity);
  if (own !== undefined) return own;
  switch (entity.domain) {
    case "lock": return { act: entity.state === "unlocked" || entity.state === "jammed" ? "lock" : "unlock" };
    case "cover": case "valve": case "climate": case "alarm_control_panel": return null;
  }
  const able = (entity.abilities ?? []).length === 0 || can(entity, "on_off");
  return able ? { act: entity.state === "on" ? "off" : "on" } : null;
}

const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }), whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const minute = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export const degrees = (n) => `${tenths.format(n)}°`;
export const percent = (n) => `${whole.format(n)} %`;

// isLowCode tells a battery that is low without a percentage: by a word, or by a number
// that is no percentage, such as 255.
export function isLowCode(state) {
  return state === "low" || typeof state === "number" && (state < 0 || state > 100);
}

// plain is a state in words or numbers.
function plain({ state, attributes }) {
  if (state === null || state === undefined) return "–";
  if (typeof state === "object") return JSON.stringify(state);
  if (attributes?.device_class === "battery" && isLowCode(state)) return word("value_low");
  if (typeof state === "number") return `${Math.round(state * 100) / 100}${attributes?.unit ? ` ${attributes.unit}` : ""}`;
  return known("value_", state);
}

// stateOf says how a thing is, or how it was and when.
export function stateOf(entity) {
  const parts = [], values = entity.values ?? {}, unknown = entity.state === null || entity.state === undefined;
  if (entity.domain === "climate") {
    if (typeof values.temperature === "number") parts.push(degrees(values.temperature));
    if (typeof values.setpoint === "number" && values.mode !== "off") parts.push(word("tile_set", { value: degrees(values.setpoint) }));
    else if (typeof values.heats_to === "number" && typeof values.cools_to === "number") parts.push(word("tile_set", { value: `${degrees(values.heats_to)}–${degrees(values.cools_to)}` }));
    else parts.push(plain(entity));
  } else {
    parts.push(appliances.runs(entity) && entity.state !== "on" ? word("tile_run") : entity.domain === "todo" && typeof entity.state === "number" ? word("tile_items", { count: entity.state }) : plain(entity));
    parts.push(...appliances.told(entity, percent, degrees).filter(Boolean));
  }
  const set = values.brightness ?? values.speed ?? values.position;
  if (typeof set === "number" && set > 0 && set < 100 && entity.domain !== "climate") parts.push(percent(set));
  if (typeof values.power === "number" && entity.domain !== "sensor" && (entity.state === "on" || values.power > 0)) parts.push(`${whole.format(values.power)} W`);
  const state = parts.join(" · ");
  if (entity.old) return unknown ? state : word("tile_last", { state, time: timeOf(entity.from) });
  if (entity.reachable !== false) return state;
  return unknown ? word("wrong_unreachable") : `${word("wrong_unreachable")} · ${word("tile_last", { state, time: timeOf(entity.told) })}`;
}

// timeOf says the time of a report, with its day if that is not today.
export function timeOf(told) {
  if (!told) return "?";
  const at = new Date(told);
  return (Date.now() - at.getTime() < 12 * 3600 * 1000 ? minute : day).format(at);
}

// measured is the line about a room: what its sensors measure, else its thermostat. What is old is
// said with its time.
export function measured(things) {
  const told = things.filter((e) => e.old || e.reachable !== false), old = told.find((e) => e.old);
  const of = (kind) => told.filter((e) => e.domain === "sensor" && classOf(e) === kind && typeof e.state === "number").map((e) => e.values?.[kind] ?? e.state);
  let warm = of("temperature");
  if (warm.length === 0) warm = things.filter((e) => e.domain === "climate" && typeof e.values?.temperature === "number").map((e) => e.values.temperature);
  const span = (all, say) => (Math.max(...all) - Math.min(...all) < 0.05 ? say(all[0]) : `${say(Math.min(...all))}–${say(Math.max(...all))}`);
  const damp = of("humidity"), line = [warm.length ? span(warm, degrees) : "", damp.length ? span(damp, percent) : ""].filter(Boolean).join(" · ");
  return line && old ? word("tile_last", { state: line, time: timeOf(old.from) }) : line;
}

// setPoints is what a thermostat may be set to, in the degrees of the house.
export function setPoints({ attributes = {}, values = {} }) {
  let { min = 5, max = 35 } = attributes;
  const spoken = values.unit ?? attributes.unit;
  if (attributes.unit === "°F" && spoken === "°C") [min, max] = [(min - 32) / 1.8, (max - 32) / 1.8];
  if (attributes.unit === "°C" && spoken === "°F") [min, max] = [min * 1.8 + 32, max * 1.8 + 32];
  return { min, max, step: spoken === "°F" ? 1 : 0.5 };
}

// taken is a thing as it is after an act, by the report of the thing itself.
export function taken(entity, { receipt, state, level: at }) {
  const values = { ...entity.values }, after = { ...entity, values, reachable: true };
  switch (receipt.property) {
    case "on_off":
      if (appliances.runs(entity)) break; // it was started, and may be over: the house tells of a script that runs
      after.state = state;
      for (const ability of ["brightness", "speed"]) {
        if (ability in values && typeof at === "number") values[ability] = at;
        else if (state === "on" && values[ability] === 0) delete values[ability]; // it has not said yet how much
      }
      break;
    case "brightness": case "speed":
      values[receipt.property] = state;
      after.state = state > 0 ? "on" : "off";
      break;
    case "open_close": case "position":
      if (typeof state === "string") after.state = state;
      else { values.position = state; after.state = state > 0 ? "open" : "closed"; }
      if (typeof at === "number") values.position = at;
      break;
    case "lock":
      after.state = state;
      break;
    case "mode":
      values.mode = state;
      if (entity.domain === "climate") after.state = state;
      break;
    case "play": case "start":
      after.state = state ?? entity.state;
      break;
    case "skip": case "list": // what plays, or stands on the list, is told by the house
      break;
    default:
      if (state !== null) values[receipt.property] = state;
  }
  return after;
}

const isBlind = (e) => e.domain === "cover" && !gates.includes(classOf(e));

// glance are the groups that are summed up above the house, each with the test of what stands out.
// A group that can be ended all at once also has the test of what belongs to it, the act, and the
// word of its button.
export const glance = [
  { word: "sum_lights", is: (e) => e.reachable !== false && e.domain === "light" && e.state === "on", of: (e) => e.domain === "light", act: "off", all: "all_lights" },
  { word: "sum_covers", is: (e) => isBlind(e) && tone(e) === "open", of: isBlind, act: "close", all: "all_covers" },
  { word: "sum_openings", is: (e) => (e.domain === "cover" && gates.includes(classOf(e)) || e.domain === "binary_sensor") && tone(e) === "open" },
  { word: "sum_locks", is: (e) => e.domain === "lock" && e.state !== "locked" && e.state !== null },
  { word: "sum_alarms", is: (e) => e.domain === "binary_sensor" && tone(e) === "bad" },
];

// counted reports whether a thing belongs to one of these groups when it stands out, so that
// without its state nobody can say that all is quiet.
export const counted = (e) => ["light", "cover", "lock"].includes(e.domain) || e.domain === "binary_sensor" && isTile(e);

// Asking, speaking and listening, and where the turn of the microphone stands. What is
// asked here goes the way of every other sentence; the words of a challenge count from
// a microphone only, and so cannot be given here.
import { byId, el, known, say, soon, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";
import { hear } from "/page/feed.js";
import { draw, icon } from "/page/icons.js";
import { add as addTurn, isEmpty, wait } from "/page/turns.js";

const mute = byId("mute"), volume = byId("volume");
const drawn = { listen: "mic", stop: "halt", say: "loud", mute: "mic" };
for (const [id, name] of Object.entries(drawn)) byId(id).prepend(icon(name));

export async function load() {
  await Promise.allSettled([readMute(), readVolume(), readExamples()]);
}

let examples = ""; // the sentences that are offered
let sure = false;  // they are of a house that is known

// readExamples offers sentences that work in this house, as long as nothing was said.
async function readExamples() {
  if (!isEmpty() || sure) return;
  const known = byId("house-none").hidden, { sentences } = await ask("examples");
  sure = known;
  if (examples === sentences.join()) return; // no button goes away under a finger
  examples = sentences.join();
  byId("try").hidden = sentences.length === 0;
  byId("examples").replaceChildren(...sentences.map((text) => {
    const button = el("button", { type: "button" }, text);
    button.addEventListener("click", () => send(text, button));
    return el("li", {}, button);
  }));
}

const readExamplesSoon = soon(() => readExamples().catch(() => {}));

async function readMute() {
  showMute((await ask("muted")).muted);
}

let closed = false; // whether the microphone is

function showMute(muted) {
  closed = muted;
  mute.classList.toggle("on", muted);
  draw(mute.querySelector("svg"), muted ? "deaf" : "mic");
  say(mute.querySelector("span"), word(muted ? "unmute" : "mute"));
}

async function readVolume() {
  const { level, muted } = await ask("volume");
  volume.disabled = false;
  volume.value = String(level);
  say(byId("volume-value"), muted ? word("volume_off") : `${level} %`);
}

let state = "";
let told = {}; // the turn whose reply is shown

export function take(kind, body) {
  if (kind === "state") {
    const before = state;
    state = body.state;
    const text = known("state_", state);
    say(byId("state"), body.recorder === "on" ? `${text} · ${word("recording")}` : text);
    byId("state").className = `pill ${state === "error" ? "bad" : state === "muted" ? "warn" : ""}`;
    if (state === "muted" || before === "muted") readMute().catch(() => {});
    if (state === "idle" || state === "muted") partial("");
    byId("listen").classList.toggle("on", state === "listening");
    meter();
  }
  if (kind === "house") readExamplesSoon();
  if (kind === "partial") partial(body.text);
  if (kind === "turn") {
    partial("");
    if (body.calls?.some((call) => call.tool === "set_volume")) readVolume().catch(() => {});
    if (body.id === told.id && told.outcome === "done" && body.outcome === "failed" && body.error) {
      say(byId("reply"), body.error); // it turned out not to be done
    } else if (body.source !== "page" && body.reply) {
      told = body;
      say(byId("reply"), body.reply);
    }
  }
}

function partial(text) {
  const line = byId("partial");
  line.hidden = !text;
  say(line, text);
}

let endMeter = null; // ends the meter while it runs

// meter shows how loud it is while the microphone listens, on a page that is visible.
function meter() {
  const wanted = state === "listening" && !document.hidden;
  byId("hearing").hidden = !wanted;
  if (wanted && !endMeter) endMeter = hear(({ level, floor }) => byId("hearing").style.setProperty("--level", String(loudness(level - floor))));
  if (wanted || !endMeter) return;
  endMeter();
  endMeter = null;
  byId("hearing").style.setProperty("--level", "0");
}

document.addEventListener("visibilitychange", meter);

// loudness is how much of the meter is filled by a sound of so many decibels above the noise of
// the room; speech is some 30 above it.
const loudness = (above) => Math.min(1, Math.max(0, above / 40));

// send says a sentence to the gateway as if it were typed.
function send(text, button) {
  return doing(button, async () => {
    say(byId("reply"), "…");
    const settle = wait(text);
    try {
      const record = await ask("ask", { text, source: "page" });
      addTurn(record);
      told = record;
      say(byId("reply"), record.reply || record.error || known("outcome_", record.outcome));
      return true;
    } catch (problem) {
      say(byId("reply"), "");
      throw problem;
    } finally {
      settle();
    }
  });
}

byId("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = byId("ask-text"), text = field.value.trim();
  if (text && await send(text, byId("ask-go")) && field.value.trim() === text) field.value = "";
});

byId("say").addEventListener("click", (e) => {
  const field = byId("ask-text"), text = field.value.trim();
  if (!text) { field.focus(); return; }
  doing(e.currentTarget, async () => {
    await ask("say", { text });
    field.value = "";
  });
});

byId("stop").addEventListener("click", (e) => doing(e.currentTarget, () => ask("stop")));

mute.addEventListener("click", () => doing(mute, async () => {
  showMute((await ask("mute", { on: !closed })).muted);
}));

volume.addEventListener("input", () => say(byId("volume-value"), `${volume.value} %`));
volume.addEventListener("change", () => doing(null, async () => {
  try {
    await ask("set_volume", { level: Number(volume.value) });
  } finally {
    await readVolume();
  }
}));

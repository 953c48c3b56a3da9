// Asking, speaking and listening, and where the turn of the microphone stands. What is
// asked here goes the way of every other sentence; the words of a challenge count from
// a microphone only, and so cannot be given here.
import { byId, say, word, known } from "/page/dom.js";
import { ask, doing } from "/page/api.js";
import { add as addTurn } from "/page/turns.js";

const mute = byId("mute"), volume = byId("volume");

export async function load() {
  await Promise.allSettled([readMute(), readVolume()]);
}

async function readMute() {
  showMute((await ask("muted")).muted);
}

let closed = false; // whether the microphone is

function showMute(muted) {
  closed = muted;
  mute.classList.toggle("on", muted);
  say(mute, word(muted ? "unmute" : "mute"));
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
  }
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

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("ask-text"), text = field.value.trim();
  if (!text) return;
  doing(byId("ask-go"), async () => {
    say(byId("reply"), "…");
    try {
      const record = await ask("ask", { text, source: "page" });
      field.value = "";
      addTurn(record);
      told = record;
      say(byId("reply"), record.reply || record.error || known("outcome_", record.outcome));
    } catch (problem) {
      say(byId("reply"), "");
      throw problem;
    }
  });
});

byId("say").addEventListener("click", (e) => {
  const field = byId("ask-text"), text = field.value.trim();
  if (!text) { field.focus(); return; }
  doing(e.currentTarget, async () => {
    await ask("say", { text });
    field.value = "";
  });
});

byId("listen").addEventListener("click", (e) => doing(e.currentTarget, () => ask("listen")));
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

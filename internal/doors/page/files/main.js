// The page: everything is told by the gateway, and asked of it again only when the
// connection was away too long.
import { byId, say, setClock, soon, word } from "/page/dom.js";
import { ask } from "/page/api.js";
import { follow } from "/page/feed.js";
import * as talk from "/page/talk.js";
import * as turns from "/page/turns.js";
import * as timers from "/page/timers.js";
import * as house from "/page/house.js";
import * as servers from "/page/servers.js";
import * as parts from "/page/parts.js";
import * as names from "/page/names.js";
import "/page/tabs.js";

const sections = [talk, turns, timers, house, servers, parts, names];

// load asks for everything; sections fail apart from each other.
async function load() {
  const about = await ask("gateway");
  setClock(about.now);
  for (const section of sections) section.start?.(about);
  await Promise.allSettled(sections.map((section) => section.load()));
  document.body.dataset.loaded = String(Number(document.body.dataset.loaded ?? 0) + 1);
}

const loadSoon = soon(() => load().catch((problem) => say(byId("notice"), problem.message)));

follow((kind, body) => {
  if (kind === "open" || kind === "lost") {
    byId("lost").hidden = kind === "open";
    return;
  }
  if (kind === "hello") {
    if (!body.resumed) loadSoon();
    return;
  }
  for (const section of sections) section.take(kind, body);
});

say(byId("state"), word("state_unknown"));

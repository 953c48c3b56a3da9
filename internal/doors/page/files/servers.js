// The MCP servers: their states, when they are tried next, what they wrote last, and
// what is not used of them and why. Their words are theirs, and shown as such.
import { byId, countdown, el, foreign, known, say, soon, until, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";
import { command as copyable } from "/page/copy.js";

const servers = new Map(); // id -> server
const items = new Map();   // id -> {server, item}: what is shown of each
const opened = new Set();  // ids whose last words are shown

export async function load() {
  const list = await ask("servers");
  servers.clear();
  for (const server of list.servers) servers.set(server.id, server);
  renderSoon();
}

export function take(kind, body) {
  if (kind !== "server") return;
  const before = servers.get(body.id);
  if (body.gone) servers.delete(body.id);
  else servers.set(body.id, body);
  if (!before || !same(before, body)) renderSoon();
}

// same leaves out that a server was well once more, which is no news to a person.
const same = (a, b) => JSON.stringify({ ...a, lastSuccess: null }) === JSON.stringify({ ...b, lastSuccess: null });

const tone = { connected: "good", connecting: "warn", retrying: "warn", failed: "bad" };

const renderSoon = soon(() => {
  const all = [...servers.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const id of items.keys()) if (!servers.has(id)) { items.get(id).item.remove(); items.delete(id); }
  for (const server of all) show(server);
  byId("servers-none").hidden = all.length > 0;
});

// show puts a server where it stands. Nothing that has not changed is made anew, so that
// no button goes away under somebody's finger; who was at a button that has is near it.
function show(server) {
  const shown = items.get(server.id);
  if (shown && same(shown.server, server)) return;
  const item = itemOf(server), key = shown?.item.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  items.set(server.id, { server, item });
  if (shown) shown.item.replaceWith(item);
  else {
    const after = [...byId("servers").children].find((li) => li.dataset.id > server.id);
    byId("servers").insertBefore(item, after ?? null);
  }
  if (key) ([...item.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key) ?? item.querySelector("button, summary"))?.focus();
}

function itemOf(server) {
  const item = el("li", {},
    el("div", { className: "row wrap" },
      el("strong", {}, server.id),
      el("span", { className: `pill ${tone[server.status] ?? ""}` }, known("server_", server.status)),
      server.version ? el("span", { className: "quiet" }, `${word("about_version")} ${server.version}`) : null,
      server.essential ? el("span", { className: "quiet" }, word("essential")) : null,
      server.status === "connected" ? el("span", { className: "quiet" }, word("tools_count", { count: server.tools ?? 0 })) : null,
      server.status === "connected" && server.health !== "healthy" ? el("span", { className: "warn" }, known("health_", server.health)) : null,
      next(server),
      server.status === "connected" && server.breaker === "closed" ? null : retryButton(server)));
  item.dataset.id = server.id;
  if (server.importedFrom) item.append(el("p", { className: "quiet" }, word("imported_from", { file: server.importedFrom })));
  if (server.errorMessage && server.status !== "connected") item.append(el("p", {}, foreign(server.errorMessage)));
  if (server.healthReason && server.status === "connected") item.append(el("p", {}, foreign(server.healthReason)));
  if (server.toolsUnused?.length) item.append(resting(server), ...forbidden(server));
  if (server.transport === "stdio") item.append(lastWords(server));
  return item;
}

// next says when the server is tried next, counting down.
function next(server) {
  const time = server.breakerUntil && server.status === "connected" ? server.breakerUntil : server.nextRetryTime;
  if (!time || server.status === "connected" && !server.breakerUntil) return null;
  return countdown(el("span", { className: "countdown" }), () => word("next_try", { seconds: until(time) }));
}

function button(key, text, label, act) {
  const made = el("button", { type: "button", "data-key": key, "aria-label": label }, text);
  made.addEventListener("click", () => doing(made, act));
  return made;
}

const retryButton = ({ id }) => button(`retry ${id}`, word("retry"), `${word("retry")}: ${id}`, async () => {
  const server = await ask("retry", { id });
  servers.set(id, server);
  renderSoon();
});

// resting lists the tools that wait to be accepted; it is empty without any.
function resting(server) {
  const tools = server.toolsUnused.filter((tool) => tool.resting);
  const list = el(tools.length ? "ul" : "span", tools.length ? { className: "list", "aria-label": word("unused") } : {});
  for (const tool of tools) {
    list.append(el("li", {}, el("code", {}, tool.tool), " – ", el("span", {}, known("unused ", tool.why)), " ",
      button(`accept ${server.id} ${tool.tool}`, word("accept"), `${word("accept")}: ${tool.tool}`, async () => {
        servers.set(server.id, await ask("accept", { id: server.id, tool: tool.tool }));
        renderSoon();
      })));
  }
  return list;
}

const mostShown = 5;

// levels say what the commands of each level allow, the most careful one first.
const levels = {
  read: (count) => word("allow_read", { count }),
  act: (count) => word("allow_act", { count }),
  one: (count) => word("allow_one", { count }),
};

// firsts returns the first items, and how many more there are.
const firsts = (items) => items.length > mostShown ? [...items.slice(0, mostShown), word("and_more", { count: items.length - mostShown })] : items;

// forbidden returns, for each reason, how many tools the configuration keeps from being
// used, and the complete commands that would allow them with what each allows.
function forbidden(server) {
  const tools = server.toolsUnused.filter((tool) => !tool.resting);
  const made = [];
  for (const why of new Set(tools.map((tool) => tool.why))) {
    const of = tools.filter((tool) => tool.why === why);
    const box = el("div", { className: "unused" },
      el("p", {}, word("unused_count", { count: of.length }), " – ", el("span", {}, known("unused ", why)), ": ", firsts(of.map((tool) => tool.tool)).join(", ")));
    if (of.some((tool) => tool.choices?.length)) box.append(el("div", { className: "quiet" }, word("allow")));
    for (const [level, means] of Object.entries(levels)) {
      const choices = of.flatMap((tool) => tool.choices ?? []).filter((choice) => choice.level === level);
      if (!choices.length) continue;
      box.append(el("div", { className: "quiet" }, means(choices.length)));
      const commands = [...new Set(choices.map((choice) => choice.command))];
      for (const command of commands.slice(0, mostShown)) box.append(copyable(command, "allow"));
      if (commands.length > mostShown) box.append(el("div", { className: "quiet" }, word("and_more", { count: commands.length - mostShown })));
    }
    made.push(box);
  }
  const more = server.toolsUnusedCount - server.toolsUnused.length;
  if (more > 0) made.push(el("p", { className: "quiet" }, word("and_more", { count: more })));
  return made;
}

function lastWords({ id }) {
  const text = el("pre", { lang: "en", tabIndex: 0, "aria-label": `${word("stderr")}: ${id}`, role: "region" }, "…");
  const details = el("details", { open: opened.has(id) }, el("summary", { "data-key": `words ${id}` }, word("stderr")), text);
  details.addEventListener("toggle", async () => {
    if (!details.open) { opened.delete(id); return; }
    opened.add(id);
    try {
      const { lines } = await ask("stderr", { id });
      say(text, lines.length ? lines.join("\n") : word("stderr_none"));
    } catch (problem) {
      say(text, problem.message);
    }
  });
  return details;
}

// Requests to the gateway. A browser that is not logged in any more is sent to the
// log-in.
import { byId, say, word } from "/page/dom.js";
import operations from "/page/operations.js";

// Problem is an answer that says what is wrong, in the gateway's words.
export class Problem extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

let answered = Date.now(); // when the gateway was heard from last

// noteAnswer takes note that the gateway was heard from.
export function noteAnswer() { answered = Date.now(); }

// lastAnswer is when the gateway was heard from last.
export const lastAnswer = () => answered;

async function request(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method, credentials: "same-origin",
      headers: method === "POST" ? { "Content-Type": "application/json" } : {},
      body: method === "POST" ? JSON.stringify(body ?? {}) : undefined,
    });
  } catch {
    throw new Problem(0, word("lost"));
  }
  noteAnswer();
  if (answer.status === 401) {
    location.assign("/login");
    throw new Problem(401, word("login_title"));
  }
  const content = await answer.json().catch(() => null);
  if (!answer.ok && !(content && "parts" in content)) {
    throw new Problem(answer.status, content?.detail || content?.title || String(answer.status));
  }
  return content;
}

// ask asks for an operation by its name. The members of input that its path names go into
// the path; the others into the query, or for a request that acts into the body.
export function ask(name, input = {}) {
  const [method, route] = operations[name].split(" "), rest = { ...input };
  const path = route.replace(/\{(\w+)\}/g, (_, member) => {
    const value = encodeURIComponent(rest[member]);
    delete rest[member];
    return value;
  });
  const query = method === "GET" && Object.keys(rest).length ? `?${new URLSearchParams(rest)}` : "";
  return request(method, path + query, rest);
}

// offered reports whether a gateway with these routes has an operation.
export const offered = (routes, name) => routes.includes(operations[name]);

// clearLost removes the notice that a request did not get through.
export function clearLost() {
  if (byId("notice").textContent === word("lost")) say(byId("notice"), "");
}

// doing runs what a person asked for. The button waits meanwhile; what went wrong is
// said.
export async function doing(button, act) {
  say(byId("notice"), "");
  const focused = document.activeElement === button;
  if (button) button.disabled = true;
  try {
    return await act();
  } catch (problem) {
    byId("notice").lang = problem.status ? "en" : document.documentElement.lang; // the gateway's own words are English
    say(byId("notice"), problem.message);
    return undefined;
  } finally {
    if (button) {
      button.disabled = false;
      if (focused && (document.activeElement === document.body || document.activeElement === null)) button.focus();
    }
  }
}

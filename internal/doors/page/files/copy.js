// A command to copy. Browsers let only pages with a secure connection use the clipboard; the page
// of a gateway on another machine has none, and copies in the old way.
import { byId, el, say, word } from "/page/dom.js";

// command shows a command with the button that copies it. What tells the button from others is in
// its name and key.
export function command(text, className = "") {
  const button = el("button", { type: "button", className: "copy", "aria-label": `${word("copy")}: ${text}`, "data-key": `copy ${text}`, "data-mend": `copy ${text}` }, word("copy"));
  const told = el("span", { role: "status", className: "unseen" });
  button.addEventListener("click", async () => {
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false) || copyOld(text);
    button.focus();
    if (!copied) { say(byId("notice"), word("copy_failed")); return; }
    say(button, word("copied"));
    say(told, word("copied"));
    setTimeout(() => { say(button, word("copy")); say(told, ""); }, 3000);
  });
  return el("div", { className: "row command" }, el("code", { className, dir: "ltr" }, text), button, told);
}

function copyOld(text) {
  const field = el("textarea", { value: text, readOnly: true, className: "unseen" });
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
  }
}

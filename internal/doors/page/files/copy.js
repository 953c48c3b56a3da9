// A command to copy. What a browser keeps from pages without a secure connection, such as those
// of a gateway that another machine shows, is done in the old way.
import { byId, el, say, word } from "/page/dom.js";

// copier makes the button that copies a command; what tells it from other buttons is in its name
// and key.
export function copier(command) {
  const button = el("button", { type: "button", className: "copy", "aria-label": `${word("copy")}: ${command}`, "data-key": `copy ${command}`, "data-mend": `copy ${command}` }, word("copy"));
  button.addEventListener("click", async () => {
    const copied = await navigator.clipboard?.writeText(command).then(() => true, () => false) || copyOld(command);
    button.focus();
    if (copied) say(button, word("copied"));
    else say(byId("notice"), word("copy_failed"));
    setTimeout(() => say(button, word("copy")), 3000);
  });
  return button;
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

// command shows a command with the button that copies it.
export const command = (text, className = "") => el("div", { className: "row command" }, el("code", { className, dir: "ltr" }, text), copier(text));

"use strict";
// Follows a run: asks every two seconds, less often while nothing changes, and not at all while nobody looks.
(() => {
  const SHORTEST = 2000;
  const LONGEST = 15000;
  const holder = document.getElementById("progress");
  if (!holder) return; // in the admin, when the run has ended
  const shown = () => holder.firstElementChild.dataset;
  let delay = SHORTEST;
  let timer;

  let latest = holder.innerHTML.trim();

  // Unchanged parts stay as they are, scrolled and read aloud as they were; a changed one is the same element.
  function renew(old, part) {
    for (const { id } of old.querySelectorAll("details[open][id]")) part.querySelector(`#${id}`)?.setAttribute("open", "");
    if (old.outerHTML === part.outerHTML) return;
    for (const name of old.getAttributeNames()) old.removeAttribute(name);
    for (const { name, value } of part.attributes) old.setAttribute(name, value);
    old.replaceChildren(...part.childNodes);
  }

  // Keyboard focus stays on its link or button.
  function replace(fragment) {
    const focused = holder.contains(document.activeElement) ? document.activeElement : null;
    const name = ["href", "formaction"].find((attribute) => focused?.hasAttribute(attribute));
    const target = name && focused.getAttribute(name);
    const fresh = document.createElement("template");
    fresh.innerHTML = latest = fragment;
    const [old, parts] = [[...holder.children], [...fresh.content.children]];
    if (old.length === parts.length) parts.forEach((part, place) => renew(old[place], part));
    else holder.replaceChildren(fresh.content);
    if (name) holder.querySelector(`[${name}="${CSS.escape(target)}"]`)?.focus();
  }

  async function look() {
    try {
      const response = await fetch(holder.dataset.address, { headers: { Accept: "text/html" } });
      if (response.redirected || !response.ok) throw new Error(String(response.status));
      const before = shown().step;
      const fragment = (await response.text()).trim();
      if (fragment !== latest) replace(fragment);
      delay = before !== shown().step ? SHORTEST : Math.min(delay * 1.3, LONGEST);
    } catch {
      delay = Math.min(delay * 2, LONGEST);
    }
    if ("finished" in shown()) location.reload();
    else schedule();
  }

  function schedule() {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(look, delay);
  }

  document.addEventListener("visibilitychange", () => {
    delay = SHORTEST;
    schedule();
  });
  schedule();
})();

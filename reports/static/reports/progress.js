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

  // Whoever stands on a link or a button with the keyboard stays on it.
  function replace(fragment) {
    const focused = holder.contains(document.activeElement) ? document.activeElement : null;
    const name = ["href", "formaction"].find((attribute) => focused?.hasAttribute(attribute));
    const target = name && focused.getAttribute(name);
    holder.innerHTML = latest = fragment;
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

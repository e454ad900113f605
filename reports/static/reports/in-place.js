"use strict";
// Sorts and filters without leaving the page: what a marked link or form leads to is fetched, and the parts of it that
// have a name here take the place of those. Without scripts the same links and forms lead there.
(() => {
  const PAUSE = 300;
  let newest = 0;

  // What is open in a part, and what was typed there, such as the name of a view that is being saved.
  function keep(part, other) {
    const folded = other.querySelectorAll("details");
    part.querySelectorAll("details").forEach(({ open }, place) => folded[place]?.toggleAttribute("open", open));
    for (const { id, value, checked } of part.querySelectorAll(":is(input, select)[id]")) {
      const field = other.querySelector(`#${CSS.escape(id)}`);
      if (field) Object.assign(field, { value, checked });
    }
  }

  async function show(address) {
    const own = ++newest;
    // A page of which only parts are shown is not noted as another one that was visited.
    const answer = await fetch(address, { headers: { "X-Part": "1" } }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => null) : null;
    if (own !== newest) return;
    // Such as without a network, or for an error: the browser says what is wrong.
    if (text === null) return location.assign(address);
    const page = new DOMParser().parseFromString(text, "text/html");
    const parts = [...document.querySelectorAll("[data-part]")];
    const others = parts.map((part) => page.getElementById(part.id));
    // Such as the page to log in.
    if (others.some((other) => !other)) return location.assign(address);
    const { activeElement: focused } = document;
    parts.forEach((part, place) => {
      keep(part, others[place]);
      part.replaceWith(document.adoptNode(others[place]));
    });
    if (focused.id) document.getElementById(focused.id)?.focus();
    history.replaceState(null, "", answer.url);
    for (const part of others) part.dispatchEvent(new CustomEvent("part-shown", { bubbles: true }));
  }

  function send(form) {
    const fields = new URLSearchParams(new FormData(form));
    return show(`${location.pathname}?${fields}`);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-in-place]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(link.href);
  });
  for (const form of document.querySelectorAll("form[data-in-place]")) {
    let waiting;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form);
    });
    form.addEventListener("input", ({ target }) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => send(form), target.type === "search" ? PAUSE : 0);
    });
    form.querySelector("button[type=submit]").hidden = true;
  }
})();

"use strict";
// Sorts and filters without leaving the page: what a marked link or form leads to is fetched, and the parts of it that
// have a name here take the place of those. Without scripts the same links and forms lead there.
(() => {
  const PAUSE = 300;
  let newest = 0;

  async function show(address) {
    const own = ++newest;
    const answer = await fetch(address);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (own !== newest) return;
    const parts = [...document.querySelectorAll("[data-part]")];
    const others = parts.map((part) => page.getElementById(part.id));
    // Such as an error, or the page to log in.
    if (!answer.ok || others.some((other) => !other)) return location.assign(address);
    const { activeElement: focused } = document;
    parts.forEach((part, place) => part.replaceWith(document.adoptNode(others[place])));
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

"use strict";
// The search of every page: a combobox in a dialog, whose options are the links that the page of the search would have.
(() => {
  const WAIT = 120; // milliseconds without a key, so that not every letter is asked about
  const dialog = document.getElementById("palette");
  const opener = document.getElementById("search-open");
  const field = document.getElementById("palette-field");
  const list = document.getElementById("palette-list");
  const status = document.getElementById("palette-status");
  let timer = 0;
  let asking = null;
  let answered = null; // the text that the options are about

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  }

  function optionOf(hit, number) {
    const name = hit.name ? [" ", make("span", { class: "name" }, hit.name)] : [];
    const title = make("span", { class: "hit-title" }, make("bdi", { lang: hit.lang }, hit.title), ...name);
    const detail = hit.detail ? [" ", make("span", { class: "hit-detail" }, hit.detail)] : [];
    const attributes = { role: "option", id: `palette-${number}`, href: hit.address, tabindex: "-1" };
    const option = make("a", { ...attributes, "aria-selected": "false" }, title, ...detail);
    if (hit.posts) option.dataset.posts = "";
    return option;
  }

  function show(answer) {
    let number = 0;
    const groups = answer.groups.map((group, place) => {
      const label = make("div", { class: "palette-label", id: `palette-group-${place}` }, group.label);
      const options = group.hits.map((hit) => optionOf(hit, number++));
      return make("div", { role: "group", "aria-labelledby": label.id }, label, ...options);
    });
    list.replaceChildren(...groups);
    list.hidden = groups.length === 0;
    field.setAttribute("aria-expanded", String(groups.length > 0));
    status.textContent = answer.summary;
    answered = answer.query;
    choose(answer.query ? options()[0] : undefined);
  }

  const options = () => [...list.querySelectorAll("[role=option]")];
  const chosen = () => list.querySelector("[aria-selected=true]");

  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    field.removeAttribute("aria-activedescendant");
    if (!option) return;
    option.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function step(by) {
    const all = options();
    const place = all.indexOf(chosen());
    choose(all[place < 0 && by < 0 ? all.length - 1 : (place + by + all.length) % all.length]);
  }

  async function ask() {
    asking?.abort();
    asking = new AbortController();
    const query = field.value.trim();
    try {
      const address = `${dialog.dataset.source}?${new URLSearchParams({ q: query })}`;
      const response = await fetch(address, { signal: asking.signal, headers: { Accept: "application/json" } });
      show(await response.json());
    } catch {
      // Asked anew meanwhile, or logged out: then Enter leads to the page, which says so.
    }
  }

  // Commands that post do so by the form that the page has for it.
  function follow(event, option) {
    if (!("posts" in option.dataset)) return;
    event.preventDefault();
    document.querySelector(`form[method=post][action="${option.getAttribute("href")}"]`).requestSubmit();
  }

  function toggle(event) {
    event.preventDefault();
    if (dialog.open) return dialog.close();
    if (document.querySelector("dialog[open]")) return;
    dialog.showModal();
    field.select();
    ask();
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && chosen() && answered === field.value.trim()) {
      event.preventDefault();
      chosen().click();
    }
  });
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) follow(event, option);
  });
  // Beside the dialog, which has no padding of its own.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  opener.addEventListener("click", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) toggle(event);
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") toggle(event);
  });
})();

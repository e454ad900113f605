"use strict";
// A word at a time is decided with keys, wherever on the page one is: a letter is a verdict, and leads to the next word.
(() => {
  const VERDICTS = { a: "accepted", r: "rejected", t: "truncated", f: "foreign", u: "undecided" };
  const WRITING = "input:not([type=radio], [type=checkbox]), select, textarea";
  const list = document.querySelector("[data-review]");
  if (!list) return;
  const rows = [...list.children];
  const form = list.closest("form");
  const hints = document.getElementById("review-keys");
  const keysOn = document.getElementById("keys-on");
  let current = rows[0];

  // The word that keys are about; of all, it alone can be reached with the tab key.
  function mark(row) {
    current = row;
    for (const each of rows) {
      each.tabIndex = each === row ? 0 : -1;
      if (each === row && keysOn.checked) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
    }
  }

  function go(step) {
    const next = rows[rows.indexOf(current) + step];
    if (next) next.focus();
    else if (step > 0) form.querySelector(".sorting-save button").focus();
    return Boolean(next) || step > 0;
  }

  function decide(verdict) {
    const field = current.querySelector(`input[type=radio][value=${verdict}]`);
    field.checked = true;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return go(1);
  }

  // As they are numbered in the list of kinds; 0 takes the kind back.
  function choose(number) {
    const kinds = current.querySelector(".word-kind");
    if (number >= kinds.options.length) return false;
    kinds.selectedIndex = number;
    return decide("accepted");
  }

  function pressed(key, at) {
    if (key.toLowerCase() in VERDICTS) return decide(VERDICTS[key.toLowerCase()]);
    if (/^[0-9]$/.test(key)) return choose(Number(key));
    const step = { n: 1, N: 1, Enter: 1, ArrowDown: 1, ArrowUp: -1 }[key];
    if (!step) return false;
    // Elsewhere in a row these keys choose among verdicts, send the form or open what is folded.
    if (at === current) return go(step);
    if (list.contains(at)) return key.toLowerCase() === "n" && go(step);
    if (key === "Enter" || key === "ArrowUp" || !(key.toLowerCase() === "n" || at.matches("body, main"))) return false;
    return go(0);
  }

  function show() {
    hints.hidden = !keysOn.checked;
    mark(current);
  }

  for (const row of rows) row.setAttribute("aria-label", row.querySelector(".element").textContent);
  show();
  keysOn.addEventListener("change", show);
  form.addEventListener("input", () => { form.dataset.changed = ""; });
  form.addEventListener("change", () => { form.dataset.changed = ""; });
  if (form.dataset.unsaved === "already") form.dataset.changed = "";

  list.addEventListener("focusin", (event) => mark(event.target.closest("[data-review] > li")));
  document.addEventListener("keydown", (event) => {
    if (!keysOn.checked || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]") || event.target.closest(WRITING)) return;
    if (pressed(event.key, event.target)) event.preventDefault();
  });
})();

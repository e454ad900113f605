"use strict";
// A word at a time is decided with keys: its row has the focus, a letter is a verdict, and arrows lead to the next.
(() => {
  const VERDICTS = { a: "accepted", r: "rejected", t: "truncated", f: "foreign", u: "undecided" };
  const WRITING = "input:not([type=radio], [type=checkbox]), select, textarea";
  const list = document.querySelector("[data-review]");
  if (!list) return;
  const rows = [...list.children];

  // One row can be reached with the tab key, the one that had the focus last.
  function mark(current) {
    for (const row of rows) row.tabIndex = row === current ? 0 : -1;
  }

  function go(row, step) {
    const next = rows[rows.indexOf(row) + step];
    if (next) next.focus();
    return true;
  }

  function decide(row, verdict) {
    const field = row.querySelector(`input[type=radio][value=${verdict}]`);
    field.checked = true;
    return true;
  }

  // As they are numbered in the list of kinds; 0 takes the kind back.
  function choose(row, number) {
    const kinds = row.querySelector(".word-kind");
    if (number >= kinds.options.length) return false;
    kinds.selectedIndex = number;
    return decide(row, "accepted");
  }

  function pressed(key, row, target) {
    if (key.toLowerCase() in VERDICTS) return decide(row, VERDICTS[key.toLowerCase()]);
    if (/^[0-9]$/.test(key)) return choose(row, Number(key));
    if (key === "n" || key === "N") return go(row, 1);
    // Elsewhere in a row these keys choose among verdicts, send the form or open what is folded.
    if (target !== row) return false;
    if (key === "Enter" || key === "ArrowDown") return go(row, 1);
    if (key === "ArrowUp") return go(row, -1);
    return false;
  }

  for (const row of rows) row.setAttribute("aria-label", row.querySelector(".element").textContent);
  const hints = document.getElementById("review-keys");
  const keysOn = document.getElementById("keys-on");
  const show = () => { hints.hidden = !keysOn.checked; };
  show();
  keysOn.addEventListener("change", show);
  mark(rows[0]);

  list.addEventListener("focusin", (event) => mark(event.target.closest("[data-review] > li")));
  list.addEventListener("keydown", (event) => {
    if (!keysOn.checked || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const row = event.target.closest("[data-review] > li");
    if (!row || event.target.closest(WRITING)) return;
    if (pressed(event.key, row, event.target)) event.preventDefault();
  });
})();

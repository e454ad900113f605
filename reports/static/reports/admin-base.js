"use strict";
// Mends what pages of the admin tell those who do not see them. Django's own scripts have run by then.
window.addEventListener("load", () => {
  // A mark that has a name must be something that can have one.
  for (const mark of document.querySelectorAll(".help-tooltip[aria-label]")) mark.setAttribute("role", "img");
  // Day and time share one label, which belongs to neither.
  for (const [index, field] of [...document.querySelectorAll(".datetime input")].entries()) {
    if (field.labels.length > 0 || field.hasAttribute("aria-label")) continue;
    const text = field.closest(".form-row")?.querySelector("legend, label")?.textContent.trim() ?? "";
    const part = field.previousSibling?.textContent?.trim() || String(1 + (index % 2));
    field.setAttribute("aria-label", `${text} ${part}`.trim());
  }
});

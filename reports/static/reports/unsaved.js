"use strict";
// Who leaves a form in which something was changed and not sent is asked first.
for (const form of document.querySelectorAll("form[data-unsaved]")) {
  // A form that came back with mistakes is not stored either.
  const already = form.dataset.unsaved === "already";
  let sent = false;
  const changed = (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  const chosen = (field) => [...field.options].some((option) => option.selected !== option.defaultSelected);
  form.addEventListener("submit", () => { sent = true; });
  // Back from the next page, the browser may show this one as it was left.
  window.addEventListener("pageshow", () => { sent = false; });
  window.addEventListener("beforeunload", (event) => {
    if (!sent && (already || [...form.querySelectorAll("input")].some(changed) || [...form.querySelectorAll("select")].some(chosen))) {
      event.preventDefault();
      event.returnValue = true; // for older browsers
    }
  });
}

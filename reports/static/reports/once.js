"use strict";
// A form that takes long to send is sent once.
for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", () => {
    const button = form.querySelector("button[type=submit]");
    button.disabled = true;
    button.textContent = form.dataset.once;
  });
  // Back from the next page, the browser may show this one as it was left.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
}

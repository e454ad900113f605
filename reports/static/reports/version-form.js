"use strict";
// Of the form of a version, only what the chosen algorithm and normalisation have a use for. Without this script all of it
// is there, and says what it is for.
{
  const algorithm = document.getElementById("id_algorithm");
  const normalization = document.getElementById("id_normalization");
  const parameters = algorithm ? JSON.parse(algorithm.dataset.parameters) : {};

  // What is wrong is never hidden.
  const show = (name, useful) => {
    const row = document.querySelector(`.form-row.field-${name}`);
    if (!row) return;
    row.hidden = !useful && !row.querySelector(".errorlist");
    const group = row.closest("fieldset");
    group.hidden = [...group.querySelectorAll(".form-row")].every((other) => other.hidden);
  };
  const update = () => {
    const own = parameters[algorithm.value] ?? [];
    for (const name of new Set(Object.values(parameters).flat())) {
      show(name, own.includes(name));
      // Refused if it were sent.
      const field = document.getElementById(`id_${name}`);
      field.disabled = field.closest(".form-row").hidden;
    }
    for (const name of ["keep_case", "alphabet"]) {
      const field = document.getElementById(`id_${name}`);
      show(name, normalization.value === "word" || field.checked || field.value.length > 0 && field.type === "textarea");
    }
  };
  if (algorithm && normalization) {
    algorithm.addEventListener("change", update);
    normalization.addEventListener("change", update);
    update();
  }
}

"use strict";
// The form of a version shows only fields of the chosen algorithm and normalisation, in the words of the algorithm.
// Without this script all of it is there, and says what it is for.
{
  const algorithm = document.getElementById("id_algorithm");
  const normalization = document.getElementById("id_normalization");
  const fields = algorithm ? JSON.parse(algorithm.dataset.fields) : {};
  const rowOf = (name) => document.querySelector(`.form-row.field-${name}`);

  // A field with an error is never hidden. A hidden one is not sent: it would be refused.
  const show = (name, useful) => {
    const row = rowOf(name);
    if (!row) return;
    row.hidden = !useful && !row.querySelector(".errorlist");
    document.getElementById(`id_${name}`).disabled = row.hidden;
    const group = row.closest("fieldset");
    group.hidden = [...group.querySelectorAll(".form-row")].every((other) => other.hidden);
  };
  const say = (name, { label, help }) => {
    const row = rowOf(name);
    if (!row) return;
    const title = row.querySelector("label");
    // With the colon of the language, which a box to tick has not.
    const [colon] = title.textContent.match(/\s*:$/) ?? [""];
    if (label) title.textContent = label + colon;
    const place = row.querySelector(".help > div");
    if (!help || !place) return;
    // Values from a plan stay.
    const planned = place.querySelector("strong");
    place.replaceChildren(...(planned ? [planned, " "] : []), help);
  };
  const update = () => {
    const own = fields[algorithm.value] ?? {};
    for (const name of new Set(Object.values(fields).flatMap(Object.keys))) {
      show(name, name in own);
      say(name, own[name] ?? {});
    }
    const words = !("normalization" in own) || normalization.value === "word";
    for (const name of ["keep_case", "alphabet"]) {
      const field = document.getElementById(`id_${name}`);
      show(name, words || field.checked || field.value.length > 0 && field.type === "textarea");
    }
  };
  if (algorithm && normalization) {
    algorithm.addEventListener("change", update);
    normalization.addEventListener("change", update);
    update();
  }
}

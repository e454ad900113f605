// The page "What leaves your device": makes records of what is typed, here, and says in words what they say.
// Once it has begun nothing is fetched, and nothing typed is kept.

const byId = (id) => document.getElementById(id);
const data = (id) => JSON.parse(byId(id).textContent);
const { dataset } = byId("what-leaves");
const LISTED = 5;
const EXAMPLES = 8;
const LONGEST_SHOWN = 40;
// A pause in typing after which a record is made.
const PAUSE = 300;
const WORD_LENGTH = 10;
// Larger vectors are told in numbers alone.
const LARGEST_PICTURE = 65536;
const SVG = "http://www.w3.org/2000/svg";

const texts = data("leaves-texts");
const language = document.documentElement.dataset.numbers || document.documentElement.lang;
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const figures = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

// A text with its %(name)s filled in, and %% for a percent sign, as on the server.
function say(name, values = {}) {
  return texts[name].replace(/%%|%\((\w+)\)s/g, (match, value) => (match === "%%" ? "%" : values[value]));
}

function shortened(text) {
  const characters = [...text];
  return characters.length > LONGEST_SHOWN ? `${characters.slice(0, LONGEST_SHOWN).join("")}…` : text;
}

// As part of a sentence, whatever direction its letters run in.
const quoted = (text) => say("element", { text: `\u2068${shortened(text)}\u2069` });

// A chance short of certainty shall not be shown as 100 %, nor a possible one as 0.
function percent(share) {
  if (share < 1 && share > 0.999) return say("over", { share: percent(0.999) });
  if (share < 0.0005) return say("under", { share: percent(0.001) });
  return say("percent", { number: tenths.format(100 * share) });
}

function oneIn(log10) {
  const exponent = Math.floor(-log10);
  const leading = 10 ** (-log10 - exponent);
  if (exponent < 6) return say("one_in", { count: figures.format(leading * 10 ** exponent) });
  const raised = [...String(exponent)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
  return say("one_in", { count: say("power", { digits: tenths.format(leading), exponent: raised }) });
}

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const signed = (value) => (value < 0 ? "−1" : "1");
const flipOf = ({ flipThreshold }) => Number(flipThreshold) / 2 ** 64;

// --- What a record says, in words ---

function bitsInWords(text, read) {
  const facts = {
    row: read.row,
    rows: numbers.format(read.k),
    bits: numbers.format(read.m),
    bit: read.hot,
    value: read.bits[read.hot],
    element: quoted(text),
    flip: percent(flipOf(read)),
    ones: numbers.format(read.ones),
    expected: numbers.format(read.m * flipOf(read)),
  };
  const sentences = ["row", "hot", "noise", read.agrees ? "kept" : "turned"].map((name) => say(name, facts));
  return { sentences, picture: read.m <= LARGEST_PICTURE ? picture(read, say("picture", facts)) : null };
}

function signInWords(text, read) {
  const facts = {
    row: read.row,
    rows: numbers.format(read.k),
    coordinate: read.coordinate,
    bits: numbers.format(read.m),
    element: quoted(text),
    honest: signed(read.honest),
    sign: signed(read.sign),
    flip: percent(flipOf(read)),
  };
  const names = ["question", "honest", read.agrees ? "sign_kept" : "sign_turned"];
  return { sentences: names.map((name) => say(name, facts)), picture: null };
}

function bucketInWords(text, read) {
  const facts = {
    row: read.row,
    rows: numbers.format(read.k),
    buckets: numbers.format(read.m),
    bucket: read.hot,
    sent: read.sent,
    element: quoted(text),
    lie: percent(flipOf(read)),
  };
  const names = ["bucket_row", "bucket_own", read.agrees ? "bucket_kept" : "bucket_lie"];
  return { sentences: names.map((name) => say(name, facts)), picture: null };
}

function subsetInWords(text, read, numbered) {
  const facts = {
    w: numbers.format(read.w),
    size: numbers.format(read.size),
    elements: read.subset.slice(0, LISTED).map(numbered).join(", "),
    element: quoted(text),
    number: read.own,
    own: percent(1 - flipOf(read)),
  };
  const names = [read.w > LISTED ? "subset_first" : "subset", "own_number", read.agrees ? "own_in" : "own_out"];
  return { sentences: names.map((name) => say(name, facts)), picture: null };
}

const IN_WORDS = { bits: bitsInWords, sign: signInWords, bucket: bucketInWords, subset: subsetInWords };

function picture({ bits, m, hot }, label) {
  const width = 2 ** Math.ceil(Math.log2(m) / 2);
  const margin = width / 32;
  const drawn = document.createElementNS(SVG, "svg");
  const viewBox = [-margin, -margin, width + 2 * margin, m / width + 2 * margin].join(" ");
  for (const [key, value] of Object.entries({ class: "leaves-bits", viewBox, role: "img", "aria-label": label })) {
    drawn.setAttribute(key, value);
  }
  const ones = document.createElementNS(SVG, "path");
  const squares = Array.from(bits.keys()).filter((i) => bits[i]);
  ones.setAttribute("d", squares.map((i) => `M${i % width} ${Math.floor(i / width)}h1v1h-1z`).join(""));
  const ring = document.createElementNS(SVG, "rect");
  const place = { x: hot % width, y: Math.floor(hot / width), width: 1, height: 1 };
  for (const [key, value] of Object.entries(place)) ring.setAttribute(key, value);
  drawn.append(ones, ring);
  return drawn;
}

function block(text, read, { title = "", numbered = String } = {}) {
  const { sentences, picture: drawn } = IN_WORDS[read.kind](text, read, numbered);
  const made = element("div", "", { class: "leaves-sketch" });
  if (title) made.append(element("h3", title));
  made.append(list(sentences));
  if (drawn) made.append(drawn);
  return made;
}

function list(sentences) {
  const made = element("ul");
  made.append(...sentences.map((sentence) => element("li", sentence)));
  return made;
}

function meaning(input, { position, fragment, sketches }, numbered) {
  if (position === undefined) return [block(input.text, sketches[0], { numbered })];
  const [first, second] = sketches;
  const [puzzle, length] = [fragment?.slice(0, 2), [...input.element].length];
  const facts = { position, next: position + 1, length, puzzle };
  if (!second) return [sampled(facts, fragment), block(fragment ?? input.text, first)];
  const tied = element("div", "", { class: "leaves-sketch" });
  tied.append(list([say("position", facts), say("puzzle", facts)]));
  const title = (name, text, { epsilon }) => say(name, { element: quoted(text), epsilon: figures.format(epsilon) });
  return [
    tied,
    block(fragment, first, { title: title("fragment_title", fragment, first) }),
    block(input.text, second, { title: title("word_title", input.text, second) }),
  ];
}

// Subject of a record: the word, or two of its letters.
function sampled(facts, fragment) {
  const made = element("div", "", { class: "leaves-sketch" });
  made.append(list(fragment ? [say("sampled_letters", facts), say("puzzle", facts)] : [say("sampled_word", facts)]));
  return made;
}

// In one line.
function told({ position, sketches }) {
  const [first, second] = sketches;
  if (second) {
    return say("told_word", { position, first: first.bits[first.hot], second: second.bits[second.hot] });
  }
  const { row, coordinate, sign, sent, subset } = first;
  if (position !== undefined) return say(position ? "told_letters" : "told_whole", { position, row, sent });
  if (first.kind === "sign") return say("told_sign", { row, coordinate, sign: signed(sign) });
  if (first.kind === "bucket") return say("told_bucket", { row, sent });
  if (first.kind === "subset") {
    const more = first.w > LISTED ? "…" : "";
    return say(first.agrees ? "told_in" : "told_out", { numbers: subset.slice(0, LISTED).join(", ") + more });
  }
  const counts = { ones: numbers.format(first.ones), bits: numbers.format(first.m) };
  return say("told_bits", { row, ...counts, value: first.bits[first.hot] });
}

// --- What else it could have been ---

const OWN = {
  bits: (read) => read.bits[read.hot],
  sign: (read) => signed(read.honest),
  bucket: (read) => read.hot,
  subset: (read) => say(read.agrees ? "yes" : "no"),
};

// Parts of a record: of one sketch, or of a word's two.
const kindOf = ({ sketches: [first, second] }) => (second ? "word" : first.kind);

const ownOf = ({ sketches }) => sketches.map((read) => OWN[read.kind](read)).join(", ");

function compared(input, ratio, other) {
  if (ratio === 1) return say("equal");
  const [times, likelier] = ratio < 1 ? [1 / ratio, input] : [ratio, other];
  return say("likelier", { times: figures.format(times), element: quoted(likelier.text) });
}

function line(candidate, reading, found, input) {
  const row = element("tr");
  const name = element("th", "", { scope: "row" });
  name.append(element("span", shortened(candidate.text), { class: "element", dir: "auto" }));
  const belief = element("td", percent(found.posterior), { class: "number" });
  const bar = element("span", "", { class: "leaves-belief", "aria-hidden": "true" });
  bar.style.width = `${100 * found.posterior}%`;
  belief.append(bar);
  const relation = candidate === input ? say("itself") : compared(input, found.ratio, candidate);
  row.append(name, element("td", ownOf(reading)), element("td", oneIn(found.log10)), element("td", relation), belief);
  return row;
}

function conclusions(candidates, found, epsilon) {
  const [input] = candidates;
  const [own] = found;
  const best = found.reduce((a, b) => (b.posterior > a.posterior ? b : a));
  const facts = {
    element: quoted(input.text),
    other: quoted(candidates[found.indexOf(best)].text),
    count: found.filter(({ ratio }) => ratio === 1).length,
  };
  let verdict = facts.count > 1 ? "verdict_tied" : "verdict_ahead";
  if (best.posterior > own.posterior) verdict = "verdict_misled";
  else if (own.posterior > 0.8) verdict = "verdict_strong";
  const beliefs = { count: found.length, before: percent(1 / found.length), after: percent(own.posterior) };
  return [
    say("bound", { bound: figures.format(Math.exp(epsilon)), epsilon: figures.format(epsilon) }),
    say("belief", { ...beliefs, element: facts.element }),
    say(verdict, facts),
  ];
}

// --- The page ---

async function begin() {
  const device = await import(dataset.device);
  const { readRecord, compare } = await import(dataset.reading);
  const { use_cases: useCases } = data("leaves-configuration");
  const suggestions = data("leaves-suggestions-data");
  const names = data("leaves-locale-names");
  const [choice, localeChoice, typed] = ["leaves-use-case", "leaves-locale", "leaves-typed"].map(byId);
  let useCase, mechanism, waiting;
  let turn = 0;
  let tally = { about: null, made: 0, letters: 0, turned: [0, 0] };

  const locale = () => localeChoice.value;

  function alphabet() {
    const { alphabet: found } = useCase;
    return found !== null && typeof found === "object" ? (found[locale()] ?? null) : found;
  }

  function elementOf(text) {
    const rules = { keepCase: useCase.keep_case, alphabet: alphabet(), length: mechanism.length ?? WORD_LENGTH };
    return device.normalize(useCase.normalization, text, rules);
  }

  // Without what fills it up, and in the form people see.
  function asInput(text, found) {
    return { element: found, text: useCase.normalization === "word" ? found.replace(/_+$/, "") : text };
  }

  function suggested() {
    if (useCase.dictionary) return examples();
    const fitting = (suggestions[useCase.normalization] ?? []).filter((text) => elementOf(text) !== null);
    if (fitting.length > 3 || useCase.normalization !== "word" || alphabet() === null) return fitting;
    // Nothing listed is in this alphabet: its own letters, three at a time.
    const letters = [...alphabet()];
    return letters.slice(0, 8).map((_letter, i) => [0, 1, 2].map((j) => letters[(i + j) % letters.length]).join(""));
  }

  // Some of a dictionary that devices know, in the form people see.
  function examples() {
    const { dictionary: all } = useCase;
    const step = Math.max(1, Math.floor(all.length / EXAMPLES));
    const chosen = all.filter((_text, i) => i % step === 0).slice(0, EXAMPLES);
    return chosen.map((text) => asInput(text, text).text).filter((text) => elementOf(text) !== null);
  }

  // A text that devices report as anything else, if they report that; else null.
  function outside() {
    if (!useCase.dictionary || !useCase.parameters.other) return null;
    const texts = [...(suggestions[useCase.normalization] ?? []), say("anything_else")];
    return texts.find((text) => !(understand(text).problem || useCase.dictionary.includes(elementOf(text)))) ?? null;
  }

  // A number of a record, and what has it.
  function numbered(place) {
    const known = mechanism.elements?.[place];
    return known === undefined ? `${place} (${say("anything_else")})` : `${place} (${quoted(asInput(known, known).text)})`;
  }

  // The element that a text is reported as, or why there is none.
  function understand(text) {
    if (!text) return { problem: say("nothing_typed") };
    if (/\p{Surrogate}/u.test(text)) return { problem: say("no_text") };
    let found;
    try {
      found = elementOf(text);
    } catch {
      return { problem: say("other_host") };
    }
    if (found === null) return { problem: refusal(text) };
    if (found !== "" && useCase.normalization === "emoji" && !device.isOneEmoji(text)) {
      return { problem: say("not_one") };
    }
    if (found !== "" && useCase.dictionary && !mechanism.reports(found)) return { problem: say("not_in_dictionary") };
    return found === "" ? { problem: say("nothing_typed") } : { input: asInput(text, found) };
  }

  function refusal(text) {
    if (useCase.normalization === "domain") return say("no_host");
    const characters = [...device.foldWord(text, useCase.keep_case)];
    if (characters.includes("_")) return say("pad");
    const allowed = new Set(alphabet() ?? characters);
    const strange = characters.find((character) => !allowed.has(character));
    return say("not_in_alphabet", { character: quoted(strange), alphabet: `\u2068${alphabet()}\u2069` });
  }

  function note(text, input) {
    const words = useCase.normalization === "word" ? device.foldWord(text, useCase.keep_case) : input.element;
    const notes = [];
    if ([...words].length > [...input.element].length) {
      notes.push(say("cut", { length: [...input.element].length, element: quoted(input.text) }));
    } else if (useCase.normalization !== "emoji" && input.text !== text) {
      notes.push(say("counted_as", { element: quoted(input.text) }));
    }
    if (useCase.normalization === "domain" && input.element !== text) {
      notes.push(say("counted_as", { element: quoted(input.element) }));
    }
    if (mechanism.words) notes.push(say("own_words"));
    if (useCase.dictionary) notes.push(say(useCase.dictionary.includes(input.element) ? "public" : "public_other"));
    else if (useCase.normalization === "raw") notes.push(say("stand_ins"));
    return notes.join(" ");
  }

  async function make() {
    clearTimeout(waiting);
    turn += 1;
    const mine = turn;
    const text = typed.value.trim();
    const { input, problem } = understand(text);
    byId("leaves-again").disabled = !input;
    byId("leaves-result").hidden = !input;
    byId("leaves-note").textContent = input ? note(text, input) : "";
    if (!input) {
      byId("leaves-summary").textContent = problem;
      return;
    }
    const others = suggested().map((other) => asInput(other, elementOf(other)));
    const candidates = [input, ...others.filter((other) => other.element !== input.element)];
    const record = await mechanism.privatize(input.element);
    const readings = await Promise.all(candidates.map((each) => readRecord(mechanism, each.element, record)));
    // Something else may have been typed or pressed meanwhile.
    if (mine === turn) show(record, candidates, readings);
  }

  function show(record, candidates, readings) {
    const [input] = candidates;
    const [reading] = readings;
    const found = compare(readings);
    byId("leaves-record").textContent = record;
    byId("leaves-document").textContent = JSON.stringify(uploadOf(record), null, 2);
    byId("leaves-meaning").replaceChildren(...meaning(input, reading, numbered));
    byId("leaves-conclusions").replaceChildren(
      ...conclusions(candidates, found, mechanism.epsilon).map((sentence) => element("p", sentence)),
    );
    const lines = candidates.map((candidate, i) => line(candidate, readings[i], found[i], input));
    byId("leaves-own").textContent = say(`own_${kindOf(reading)}`);
    byId("leaves-others").replaceChildren(...lines);
    count(input, reading);
    const entry = element("li", told(reading));
    entry.append(element("code", record.slice(0, 80)));
    byId("leaves-earlier").prepend(entry);
    while (byId("leaves-earlier").children.length > LISTED) byId("leaves-earlier").lastElementChild.remove();
    byId("leaves-earlier").start = tally.made;
    byId("leaves-summary").textContent = say("summary", { element: quoted(input.text), told: told(reading) });
  }

  function uploadOf(record) {
    const { slug, algorithm, parameters } = useCase;
    return { version: 1, segments: [{ use_case: slug, locale: locale(), algorithm, parameters, records: [record] }] };
  }

  // How often the noise struck, of all records about one input.
  function count(input, { position, sketches }) {
    if (tally.about !== input.element) {
      tally = { about: input.element, made: 0, letters: 0, turned: [0, 0] };
      byId("leaves-earlier").replaceChildren();
    }
    tally.made += 1;
    tally.letters += position ? 1 : 0;
    sketches.forEach((read, i) => { tally.turned[i] += read.agrees ? 0 : 1; });
    const [turned, second] = tally.turned.map((times) => numbers.format(times));
    const [flip, secondFlip] = sketches.map((read) => percent(flipOf(read)));
    const kind = mechanism.fragmentShare ? "sampled" : kindOf({ sketches });
    byId("leaves-tally").textContent = say(`tally_${kind}`, {
      made: numbers.format(tally.made), turned, second, flip, second_flip: secondFlip,
      letters: numbers.format(tally.letters), share: percent(mechanism.fragmentShare ?? 0),
    });
  }

  function pick(label, text) {
    const button = element("button", label, { type: "button", dir: "auto" });
    button.addEventListener("click", () => {
      typed.value = text;
      make();
    });
    return button;
  }

  function chooseLocale() {
    const picks = suggested().map((text) => pick(text, text));
    const strange = outside();
    if (strange !== null) picks.push(pick(say("anything_else"), strange));
    byId("leaves-suggestions").replaceChildren(...picks);
    typed.value = suggested()[0] ?? "";
    tally = { about: null, made: 0, turned: [0, 0] };
    byId("leaves-earlier").replaceChildren();
    make();
  }

  function chooseUseCase() {
    useCase = useCases[choice.selectedIndex];
    mechanism = device.mechanismFor(useCase.algorithm, useCase.parameters, useCase.dictionary);
    const { locales, normalization, budget_group: group, daily_limit: limit } = useCase;
    localeChoice.replaceChildren(...locales.map((each) => element("option", names[each] ?? each, { value: each })));
    byId("leaves-locale-field").hidden = locales.length < 2;
    byId("leaves-label").textContent = say(`label_${normalization}`);
    const facts = { epsilon: figures.format(mechanism.epsilon), limit: numbers.format(limit) };
    byId("leaves-costs").textContent = say(group === null ? "costs" : "costs_shared", facts);
    chooseLocale();
  }

  choice.replaceChildren(...useCases.map(({ title }) => element("option", title)));
  // Emoji or words first, if there are any: they are the easiest to try.
  const easiest = ["emoji", "word"].map((profile) => useCases.findIndex((each) => each.normalization === profile));
  choice.selectedIndex = easiest.find((place) => place >= 0) ?? 0;
  choice.addEventListener("change", chooseUseCase);
  localeChoice.addEventListener("change", chooseLocale);
  byId("leaves-again").addEventListener("click", make);
  typed.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(make, PAUSE);
  });
  typed.addEventListener("keydown", (event) => event.key === "Enter" && make());
  chooseUseCase();
  byId("example").hidden = true;
  byId("live").hidden = false;
}

if (globalThis.crypto?.subtle) {
  begin().catch(() => {
    byId("no-script").hidden = false;
    byId("example").hidden = false;
    byId("live").hidden = true;
  });
} else {
  byId("no-crypto").hidden = false;
}

// The work of a device on something it observed, as the report format (version 1) says. No imports, no page, no network:
// a browser or Node.js runs it as it stands. All chance comes from the operating system's generator, by WebCrypto.

const P = 2n ** 31n - 1n;
const PAD = "_";
const HASH = "quadratic-m31-v1";
// Most bytes that one call of getRandomValues may draw: 65,536.
const FLIPS_AT_ONCE = 8192;
// Public values that are computed once: row coefficients, and points of elements.
const MOST_ROWS = 65536;
const MOST_POINTS = 64;
const utf8 = new TextEncoder();
// A picture, of the blocks that have emoji or are kept free for them; perhaps a variation selector and a skin tone.
const BLOCKS =
  String.raw`\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u2775\u2794-\u27bf` +
  String.raw`\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\u{1f000}-\u{1f0ff}\u{1f170}\u{1f171}\u{1f17e}\u{1f17f}\u{1f18e}` +
  String.raw`\u{1f191}-\u{1f19a}\u{1f1ad}-\u{1f1e5}\u{1f201}\u{1f202}\u{1f21a}\u{1f22f}` +
  String.raw`\u{1f232}-\u{1f23a}\u{1f250}\u{1f251}\u{1f300}-\u{1faff}\u{1fc00}-\u{1fffd}`;
const PICTURE = String.raw`[${BLOCKS}][\ufe0e\ufe0f]?[\u{1f3fb}-\u{1f3ff}]?[\ufe0e\ufe0f]?`;
// A keycap, a flag of two letters, that of a region, or pictures that joiners make one.
const KEYCAP = String.raw`[0-9#*][\ufe0e\ufe0f]?\u20e3`;
const FLAG = String.raw`[\u{1f1e6}-\u{1f1ff}]{2}|\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`;
const EMOJI = new RegExp(String.raw`^(?:${KEYCAP}|${FLAG}|${PICTURE}(?:\u200d${PICTURE})*)$`, "u");

// --- Elements (section 1) ---

const nfc = (text) => text.normalize("NFC");
const isText = (text) => !/\p{Surrogate}/u.test(text);

// The element that a text is reported as, or null where it is not reported. Throws a RangeError for a host name that
// takes the tables of UTS #46 to decide on, which are not here: one outside ASCII, or with a label in Punycode.
export function normalize(profile, text, { keepCase = false, alphabet = null, length = 10, localWords = null } = {}) {
  if (!["emoji", "domain", "word", "raw"].includes(profile)) throw new RangeError(`There is no profile ${profile}.`);
  if (!isText(text)) return null;
  if (profile === "emoji") return nfc(text.replace(/[\ufe0e\ufe0f]/g, ""));
  if (profile === "domain") return normalizeDomain(text);
  return profile === "word" ? normalizeWord(text, keepCase, alphabet, length, localWords) : nfc(text);
}

// Whether a text may be one emoji, by its form: never false for one, and never true for a word or for two side by side.
// A device reports nothing else where emoji are counted: ask before normalize(), which takes any text, as the server
// does.
export function isOneEmoji(text) {
  return [...text].length <= 16 && EMOJI.test(text);
}

// A word before it is cut, as it is looked for in an alphabet and in the device's own dictionary.
export function foldWord(text, keepCase) {
  return keepCase ? nfc(text) : nfc(nfc(text).toLowerCase());
}

function normalizeWord(text, keepCase, alphabet, length, localWords) {
  if (length % 2 || length < 2 || length > 16) throw new RangeError("length must be an even number from 2 to 16.");
  const word = foldWord(text, keepCase);
  const characters = [...word];
  if (!word || characters.includes(PAD) || localWords?.has(word)) return null;
  if (alphabet !== null) {
    const allowed = new Set(alphabet);
    if (characters.some((character) => !allowed.has(character))) return null;
  }
  const kept = characters.slice(0, length);
  return kept.join("") + PAD.repeat(length - kept.length);
}

function normalizeDomain(text) {
  if (text.length > 4096) return null;
  const host = text.toLowerCase().replace(/\.$/, "");
  const labels = host.split(".");
  if (/[^\0-\x7f]/.test(text) || labels.some((label) => label.startsWith("xn--"))) {
    throw new RangeError("Only plain ASCII host names can be normalised here.");
  }
  const plain = labels.every((label) => /^[a-z0-9-]{1,63}$/.test(label));
  const last = labels.at(-1);
  const isAddress = /^(?:[0-9]+|0x[0-9a-f]*)$/.test(last);
  return plain && labels.length > 1 && host.length <= 253 && !isAddress ? host : null;
}

// --- Hash family (section 2) ---

async function digest(algorithm, ...parts) {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  return new DataView(await crypto.subtle.digest(algorithm, bytes));
}

function encode(text) {
  // The encoder itself would put another character in the place of half a surrogate pair, and say nothing.
  if (!isText(text)) throw new RangeError("Half a surrogate pair has no UTF-8 form.");
  return utf8.encode(text);
}

const mod = (value) => ((value % P) + P) % P;

// x0, x1, y0, y1 of an element.
export async function pointOf(element) {
  const u = (await digest("SHA-256", utf8.encode("element\0"), encode(element))).getBigUint64(0, true);
  const x0 = (u & P) % P;
  const x1 = ((u >> 31n) & P) % P;
  return [x0, x1, mod(x0 * x0 - x1 * x1), mod(2n * x0 * x1)];
}

// The bucket that a row's coefficients a0, a1, b0, b1, c give a point.
export function bucketOf([a0, a1, b0, b1, c], [x0, x1, y0, y1], m) {
  return Number(((a0 * x0 + a1 * x1 + b0 * y0 + b1 * y1 + c) % P) % BigInt(m));
}

// The byte that ties the fragments of a padded word together, as two hex digits (section 4).
export async function puzzleOf(seed, word) {
  const first = (await digest("SHA-256", utf8.encode("puzzle\0"), bytesOf(seed), encode(word))).getUint8(0);
  return first.toString(16).padStart(2, "0");
}

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (digits) => Number.parseInt(digits, 16));

async function remember(known, key, most, compute) {
  if (!known.has(key)) {
    if (known.size >= most) known.clear();
    known.set(key, await compute());
  }
  return known.get(key);
}

export class Family {
  #label;
  #seed;
  #rows = new Map();
  #points = new Map();

  constructor(seed, label = "element") {
    [this.#seed, this.#label] = [bytesOf(seed), utf8.encode(`${label}\0`)];
  }

  coefficients(row) {
    return remember(this.#rows, row, MOST_ROWS, async () => {
      const place = new Uint8Array(4);
      new DataView(place.buffer).setUint32(0, row, true);
      const drawn = await digest("SHA-512", this.#label, this.#seed, place);
      return [0, 8, 16, 24, 32].map((offset) => drawn.getBigUint64(offset, true) % P);
    });
  }

  async bucket(element, row, m) {
    const point = await remember(this.#points, element, MOST_POINTS, () => pointOf(element));
    return bucketOf(await this.coefficients(row), point, m);
  }
}

// --- Chance (section 3) ---

// t = ⌈2⁶⁴ / (eˣ + 1)⌉ for x = exponent / divisor, the exponent a decimal number of at least 0.
export const flipThreshold = (exponent, divisor = 1n) => lieThreshold(exponent, 1n, 1n, divisor);

// t = ⌈2⁶⁴·f / (v·eˣ + f)⌉ for v true answers, each eˣ times as likely as each of f false ones. By the exponential series
// in whole numbers of 2⁻³²⁰: for x ≤ 16 it is some hundred of them short at most, times eˣ, far below the 40 digits asked.
export function lieThreshold(exponent, v, f, divisor = 1n) {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(String(exponent)) ?? [];
  if (whole === undefined) throw new RangeError("The exponent of a flip must be a decimal number of at least 0.");
  const numerator = BigInt(whole + fraction);
  const denominator = divisor * 10n ** BigInt(fraction.length);
  const one = 1n << 320n;
  let power = 0n;
  for (let term = one, n = 1n; term > 0n; n += 1n) {
    power += term;
    term = (term * numerator) / (denominator * n);
  }
  const all = v * power + f * one;
  return (((f * one) << 64n) + all - 1n) / all;
}

// ⌈2⁶⁴·share⌉ for a share of at most three decimals.
export const shareThreshold = (share) => (2n ** 64n * BigInt(Math.round(1000 * share)) + 999n) / 1000n;

// Independent flips, 1 with probability t/2⁶⁴: each from 64 bits of its own, compared by halves.
export function flips(count, t) {
  const [high, low] = [Number(t >> 32n), Number(t & 0xffffffffn)];
  const flipped = new Uint8Array(count);
  for (let start = 0; start < count; start += FLIPS_AT_ONCE) {
    const size = Math.min(FLIPS_AT_ONCE, count - start);
    const halves = crypto.getRandomValues(new Uint32Array(2 * size));
    for (let i = 0; i < size; i += 1) {
      const first = halves[2 * i];
      if (first < high || (first === high && halves[2 * i + 1] < low)) flipped[start + i] = 1;
    }
  }
  return flipped;
}

// A uniform integer below `count`. Draws that would favour the smallest ones are drawn again.
export function below(count) {
  const limit = 2 ** 32 - (2 ** 32 % count);
  const drawn = new Uint32Array(1);
  do crypto.getRandomValues(drawn);
  while (drawn[0] >= limit);
  return drawn[0] % count;
}

// --- Mechanisms and records (section 4) ---

export function bitVectorLine(row, bits) {
  let hex = "";
  for (let i = 0; i < bits.length; i += 4) {
    hex += (8 * bits[i] + 4 * bits[i + 1] + 2 * bits[i + 2] + bits[i + 3]).toString(16);
  }
  return `${row},${hex}`;
}

export const coordinateLine = (row, coordinate, sign) => `${row},${coordinate},${sign}`;

export const bucketLine = (row, bucket) => `${row},${bucket}`;

export const fragmentLine = (position, fragment, word) => `${position},${fragment},${word}`;

export const subsetLine = (indexes) => [...indexes].sort((a, b) => a - b).join(",");
export const sampledLine = (position, bucket) => `${position},${bucket}`;

// (−1)^popcount(bucket & coordinate)
export function hadamardSign(bucket, coordinate) {
  let odd = 0;
  for (let rest = bucket & coordinate; rest; rest &= rest - 1) odd ^= 1;
  return odd ? -1 : 1;
}

function check(name, holds) {
  if (!holds) throw new RangeError(`The parameter ${name} is not one of the report format.`);
}

function checkEpsilon(epsilon) {
  check("epsilon", typeof epsilon === "number" && /^\d+(\.\d{1,3})?$/.test(epsilon) && epsilon > 0 && epsilon <= 16);
}

class OneSketch {
  constructor({ epsilon, k, seed, hash = HASH }, label) {
    checkEpsilon(epsilon);
    check("seed", /^[0-9a-f]{32}$/.test(seed));
    check("hash", hash === HASH);
    Object.assign(this, { epsilon, k, family: new Family(seed, label) });
  }
}

class SketchOfBits extends OneSketch {
  constructor(parameters, label) {
    super(parameters, label);
    const { k, m } = parameters;
    check("m", Number.isInteger(m) && m >= 8 && m <= 2 ** 20 && (m & (m - 1)) === 0);
    check("k", Number.isInteger(k) && k >= 1 && k * m <= 2 ** 28);
    this.m = m;
  }
}

export class CountMeanSketch extends SketchOfBits {
  constructor(parameters, label = "element") {
    super(parameters, label);
    // Half of ε: another element changes two of the bits.
    this.flipThreshold = flipThreshold(this.epsilon, 2n);
  }

  async privatize(element) {
    const row = below(this.k);
    const bits = flips(this.m, this.flipThreshold);
    bits[await this.family.bucket(element, row, this.m)] ^= 1;
    return bitVectorLine(row, bits);
  }
}

export class HadamardCountMeanSketch extends SketchOfBits {
  constructor(parameters) {
    super(parameters, "element");
    // All of ε: only one bit is sent.
    this.flipThreshold = flipThreshold(this.epsilon);
  }

  async privatize(element) {
    const row = below(this.k);
    const coordinate = below(this.m);
    const honest = hadamardSign(await this.family.bucket(element, row, this.m), coordinate);
    const [flipped] = flips(1, this.flipThreshold);
    return coordinateLine(row, coordinate, flipped ? -honest : honest);
  }
}

export class LocalHashing extends OneSketch {
  constructor(parameters, label = "element") {
    super(parameters, label);
    const { k, g } = parameters;
    check("g", Number.isInteger(g) && g >= 2 && g <= 2 ** 16);
    check("k", Number.isInteger(k) && k >= 2 && k <= 2 ** 16);
    this.g = g;
    this.flipThreshold = lieThreshold(this.epsilon, 1n, BigInt(g - 1));
  }

  async privatize(element) {
    const row = below(this.k);
    const honest = await this.family.bucket(element, row, this.g);
    const [lies] = flips(1, this.flipThreshold);
    return bucketLine(row, lies ? (honest + 1 + below(this.g - 1)) % this.g : honest);
  }
}

class FragmentPuzzle {
  constructor({ length, seed }, words, fragments) {
    check("length", Number.isInteger(length) && length % 2 === 0 && length >= 2 && length <= 16);
    Object.assign(this, { length, seed, words, fragments });
  }

  position() {
    return 2 * below(this.length / 2) + 1;
  }

  // Fragment of a padded word, as its report has it in the fragment sketch: its puzzle, and two of its characters.
  async fragmentOf(element, position) {
    this.checkElement(element);
    return `${await puzzleOf(this.seed, element)}:${[...element].slice(position - 1, position + 1).join("")}`;
  }

  checkElement(element) {
    const word = element.replace(/_+$/, "");
    if ([...element].length !== this.length || !word || word.includes(PAD)) {
      throw new RangeError(`An element must be a word padded to ${this.length} characters.`);
    }
  }
}

export class SequenceFragmentPuzzle extends FragmentPuzzle {
  constructor(parameters) {
    const { seed, hash, fragment_epsilon: epsilon, fragment_k: k, fragment_m: m } = parameters;
    const fragments = new CountMeanSketch({ epsilon, k, m, seed, hash }, "fragment");
    super(parameters, new CountMeanSketch(parameters), fragments);
    this.epsilon = fragments.epsilon + this.words.epsilon;
  }

  async privatize(element) {
    const position = this.position();
    const fragment = await this.fragments.privatize(await this.fragmentOf(element, position));
    return fragmentLine(position, fragment, await this.words.privatize(element));
  }
}

export class SampledFragmentPuzzle extends FragmentPuzzle {
  constructor(parameters) {
    const { seed, hash, epsilon, fragment_k: k, fragment_g: g, fragment_share: share = 0.8 } = parameters;
    check("fragment_share", typeof share === "number" && /^0\.\d{1,3}$/.test(share) && share > 0);
    super(parameters, new LocalHashing(parameters), new LocalHashing({ epsilon, k, g, seed, hash }, "fragment"));
    Object.assign(this, { epsilon, fragmentShare: share, fragmentThreshold: shareThreshold(share) });
  }

  async privatize(element) {
    this.checkElement(element);
    const [isFragment] = flips(1, this.fragmentThreshold);
    return isFragment ? this.privatizeFragment(element) : sampledLine(0, await this.words.privatize(element));
  }

  async privatizeFragment(element) {
    const position = this.position();
    return sampledLine(position, await this.fragments.privatize(await this.fragmentOf(element, position)));
  }
}

// By code points, as their UTF-8 bytes are in order; a plain comparison goes by halves of surrogate pairs.
function inOrder(one, other) {
  const [left, right] = [[...one], [...other]];
  const place = left.findIndex((character, i) => character !== right[i]);
  if (place < 0) return left.length - right.length;
  return place < right.length ? left[place].codePointAt(0) - right[place].codePointAt(0) : 1;
}

// The first half of the SHA-256 of sorted elements, one a line, as hex digits.
export async function dictionaryDigest(sorted) {
  const hash = await digest("SHA-256", encode(sorted.join("\n")));
  return Array.from({ length: 16 }, (_, i) => hash.getUint8(i).toString(16).padStart(2, "0")).join("");
}

// A subset of 0 … count - 1, all of this size equally likely (R. Floyd's way).
export function subsetBelow(count, size) {
  const chosen = new Set();
  for (let last = count - size; last < count; last += 1) {
    const drawn = below(last + 1);
    chosen.add(chosen.has(drawn) ? last : drawn);
  }
  return [...chosen];
}

export class SubsetSelection {
  #places = new Map();
  #checked;

  constructor({ epsilon, size, w, other, dictionary }, elements) {
    checkEpsilon(epsilon);
    check("size", Number.isInteger(size) && size >= 2 && size <= 4096);
    check("w", Number.isInteger(w) && w >= 1 && w <= 512 && w < size);
    check("other", typeof other === "boolean");
    check("dictionary", /^[0-9a-f]{32}$/.test(dictionary));
    check("size", Array.isArray(elements) && elements.length + Number(other) === size);
    Object.assign(this, { epsilon, size, w, other, elements: [...elements].sort(inOrder) });
    this.elements.forEach((element, place) => this.#places.set(element, place));
    const distinct = this.#places.size === elements.length && !this.#places.has("");
    check("dictionary", distinct && !elements.some((element) => element.includes("\n")));
    this.#checked = dictionaryDigest(this.elements).then((found) => check("dictionary", found === dictionary));
    this.#checked.catch(() => null); // said where something is reported
    this.lieThreshold = lieThreshold(epsilon, BigInt(w), BigInt(size - w));
  }

  // Whether a device reports an element.
  reports(element) {
    return this.other || this.#places.has(element);
  }

  // The number of an element, or that of anything else.
  indexOf(element) {
    if (!this.reports(element)) throw new RangeError("This element is not in the dictionary.");
    return this.#places.get(element) ?? this.size - 1;
  }

  async privatize(element) {
    await this.#checked;
    const own = this.indexOf(element);
    const [lies] = flips(1, this.lieThreshold);
    const subset = subsetBelow(this.size - 1, lies ? this.w : this.w - 1).map((i) => (i < own ? i : i + 1));
    if (!lies) subset.push(own);
    return subsetLine(subset);
  }
}

const MECHANISMS = {
  CountMeanSketch, HadamardCountMeanSketch, SequenceFragmentPuzzle, LocalHashing, SubsetSelection, SampledFragmentPuzzle,
};

// The elements are those of the device configuration, for a mechanism that needs a dictionary.
export function mechanismFor(algorithm, parameters, elements = null) {
  if (!Object.hasOwn(MECHANISMS, algorithm)) throw new RangeError(`There is no algorithm ${algorithm}.`);
  return new MECHANISMS[algorithm](parameters, elements ?? undefined);
}

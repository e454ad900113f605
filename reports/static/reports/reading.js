// Content of a record, to a reader who knows or guesses what it is about. The mechanisms come from device.js, and are
// handed in: nothing is imported here, so that either file may be read and checked alone.

const CHANCES = 2n ** 64n;
const SCALE = 10n ** 24n;

// The pieces of a record under the assumption that it is about an element: one sketch, or two with what ties them; and
// the chance of its position.
export async function readRecord(mechanism, element, record) {
  if (mechanism.elements) return { sketches: [readSubset(mechanism, element, record)] };
  if (!mechanism.words) return { sketches: [await readSketch(mechanism, element, record)] };
  if (mechanism.fragmentShare) return readSampled(mechanism, element, record);
  const [position, fragmentRow, fragmentHex, ...word] = record.split(",");
  const fragment = await mechanism.fragmentOf(element, Number(position));
  const sketches = [
    await readSketch(mechanism.fragments, fragment, `${fragmentRow},${fragmentHex}`),
    await readSketch(mechanism.words, element, word.join(",")),
  ];
  return { position: Number(position), chance: 2 / mechanism.length, fragment, sketches };
}

// A record that is about the word, at position 0, or about a fragment of it.
async function readSampled(mechanism, element, record) {
  const [first, ...bucket] = record.split(",");
  const position = Number(first);
  if (!position) {
    const sketches = [await readSketch(mechanism.words, element, bucket.join(","))];
    return { position, chance: 1 - mechanism.fragmentShare, sketches };
  }
  const fragment = await mechanism.fragmentOf(element, position);
  const sketches = [await readSketch(mechanism.fragments, fragment, bucket.join(","))];
  return { position, chance: (2 * mechanism.fragmentShare) / mechanism.length, fragment, sketches };
}

function readSubset(mechanism, element, record) {
  const { epsilon, size, w, lieThreshold } = mechanism;
  const subset = record.split(",").map(Number);
  const own = mechanism.indexOf(element);
  const kind = "subset";
  return { kind, element, epsilon, size, w, subset, own, agrees: subset.includes(own), flipThreshold: lieThreshold };
}

async function readSketch(sketch, element, record) {
  const fields = record.split(",");
  const { epsilon, k, flipThreshold } = sketch;
  const m = sketch.m ?? sketch.g;
  const row = Number(fields[0]);
  const hot = await sketch.family.bucket(element, row, m);
  const read = { element, epsilon, k, m, row, hot, flipThreshold };
  if (sketch.g) {
    const sent = Number(fields[1]);
    return { ...read, kind: "bucket", sent, agrees: sent === hot };
  }
  if (fields.length === 2) {
    const bits = bitsOf(fields[1]);
    return { ...read, kind: "bits", bits, ones: bits.reduce((sum, bit) => sum + bit, 0), agrees: bits[hot] === 1 };
  }
  const [coordinate, sign] = [Number(fields[1]), Number(fields[2])];
  const honest = parity(hot & coordinate) ? -1 : 1;
  return { ...read, kind: "sign", coordinate, sign, honest, agrees: sign === honest };
}

function bitsOf(hex) {
  const bits = new Uint8Array(4 * hex.length);
  for (let i = 0; i < bits.length; i += 1) bits[i] = (Number.parseInt(hex[i >> 2], 16) >> (3 - (i & 3))) & 1;
  return bits;
}

function parity(value) {
  let odd = 0;
  for (let rest = value; rest; rest &= rest - 1) odd ^= 1;
  return odd;
}

// How likely this very record is under each of several readings of it: log10 of the probability, the ratio to the first
// reading, and the probability of each if all were equally likely before. Ratios are of whole numbers, so exact but for
// the last rounding: for a bit vector (1−π)² if the element's bit is one and π² if not, both over π(1−π), which all
// readings share; for a sign 1−π and π, with π = t/2⁶⁴; for a bucket 1−π, and π/(g−1) each for all others; for a subset
// (1−π)(D−w) with the element and π·w without.
export function compare(readings) {
  const weights = readings.map(({ sketches }) => sketches.map(weight).reduce((a, b) => a * b));
  const total = weights.reduce((a, b) => a + b);
  const share = (part, whole) => Number((part * SCALE) / whole) / Number(SCALE);
  return readings.map((reading, i) => ({
    log10: logarithm(reading),
    ratio: share(weights[i], weights[0]),
    posterior: share(weights[i], total),
  }));
}

function weight({ kind, m, size, w, agrees, flipThreshold }) {
  const chances = agrees ? CHANCES - flipThreshold : flipThreshold;
  if (kind === "bucket") return agrees ? chances * BigInt(m - 1) : chances;
  if (kind === "subset") return chances * BigInt(agrees ? size - w : w);
  return kind === "bits" ? chances * chances : chances;
}

function logarithm({ chance = 1, sketches }) {
  return sketches.reduce((sum, sketch) => sum + logarithmOf(sketch), Math.log10(chance));
}

function logarithmOf({ kind, k, m, ones, size, w, agrees, flipThreshold }) {
  const flip = Number(flipThreshold) / 2 ** 64;
  if (kind === "subset") return Math.log10(agrees ? 1 - flip : flip) - logOfSubsets(size - 1, agrees ? w - 1 : w);
  const own = Math.log10(agrees ? 1 - flip : flip) - Math.log10(k);
  if (kind === "bucket") return agrees ? own : own - Math.log10(m - 1);
  if (kind === "sign") return own - Math.log10(m);
  const others = ones - (agrees ? 1 : 0);
  return own + others * Math.log10(flip) + (m - 1 - others) * Math.log10(1 - flip);
}

// log10 of the number of subsets of w out of so many.
function logOfSubsets(count, w) {
  let sum = 0;
  for (let i = 1; i <= w; i += 1) sum += Math.log10((count - w + i) / i);
  return sum;
}

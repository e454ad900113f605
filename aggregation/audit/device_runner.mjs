// Runs the browser client under Node.js: node device_runner.mjs PATH_OF_DEVICE_JS
// Reads lines {"algorithm", "parameters", "dictionary", "element", "runs"} from its input, the element normalised, and writes that many
// record lines for each, in their order.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

globalThis.crypto ??= (await import("node:crypto")).webcrypto;

// As data, because Node.js before version 20.19 takes a file named .js for another kind of module.
const source = await readFile(process.argv[2]);
const { mechanismFor } = await import(`data:text/javascript;base64,${source.toString("base64")}`);
const RECORDS_AT_ONCE = 256;

function write(text) {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const { algorithm, parameters, dictionary, element, runs } = JSON.parse(line);
  const mechanism = mechanismFor(algorithm, parameters, dictionary);
  for (let done = 0; done < runs; done += RECORDS_AT_ONCE) {
    const records = [];
    while (records.length < Math.min(RECORDS_AT_ONCE, runs - done)) records.push(await mechanism.privatize(element));
    await write(`${records.join("\n")}\n`);
  }
}

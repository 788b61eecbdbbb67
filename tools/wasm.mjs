// node tools/wasm.mjs FILE: prints the outcome that the example `portable` leaves in WebAssembly's memory.
import { readFileSync } from "node:fs";

// The module gets no imports, so that it can have neither a clock nor files nor threads.
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { memory, outcome, outcome_len } = instance.exports;
// The run makes the memory grow: its buffer is only asked for after that.
const [start, length] = [outcome(), outcome_len()];
process.stdout.write(new Uint8Array(memory.buffer, start, length));
process.stdout.write("\n");

// Runs a program for wasm32-wasip1: node tools/wasi.mjs PROGRAM ARGUMENTS...
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [path, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [path, ...rest], env: process.env, preopens: { "/": "/" } });
const module = await WebAssembly.compile(await readFile(path));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);

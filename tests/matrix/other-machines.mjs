/** Environments as in `environments.mjs` on machines that this one is not: 64-bit ARM, and wasmtime, which has no JavaScript. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cargoForArm, nodeOnArm } from '../../src/tools/aarch64.mjs';
import { pythonWith } from '../../src/tools/python.mjs';
import { Failure } from '../../src/tools/run.mjs';
import { buildExample } from '../../src/tools/wasm.mjs';
import { withBits } from './digests.mjs';
import { natively } from './environments.mjs';

const WASMTIME = '50.0.1';

/** The crate, compiled for ARM. */
export const nativelyOnArm = (emulator) =>
  natively(false, 1, { name: 'native aarch64', ...cargoForArm(emulator) });

/** The package in Node for ARM. */
export function inNodeOnArm(emulator, numWorkers) {
  const script = fileURLToPath(new URL('digests-node.mjs', import.meta.url));
  return {
    name: `Node aarch64, ${numWorkers}`,
    digests: (jobs) => answerOf([...nodeOnArm(emulator), script, `${numWorkers}`], jobs),
  };
}

/** `bare.rs` in wasmtime, from PyPI. */
export async function inWasmtime() {
  const python = pythonWith([`wasmtime==${WASMTIME}`], 'target/wasmtime');
  const module = await buildExample('bare');
  const script = fileURLToPath(new URL('wasmtime_digests.py', import.meta.url));
  return {
    version: WASMTIME,
    environment: {
      name: 'wasmtime, 1',
      digests(jobs) {
        const specs = jobs.map(({ spec }) => JSON.stringify(withBits(spec), plain));
        return { digests: answerOf([python, script, module], specs), numHelpers: null };
      },
    },
  };
}

/** Bytes as an array of numbers. */
const plain = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);

/** What a program answers to a question, both as JSON. */
function answerOf([command, ...args], question) {
  const { status, stdout } = spawnSync(command, args, {
    input: JSON.stringify(question),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Failure(`${command} failed (see above).`);
  return JSON.parse(stdout);
}

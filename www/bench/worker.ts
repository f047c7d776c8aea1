/**
 * The worker that times: away from the page, so that the page stays smooth and a stop is a stop at once. The engine's
 * own workers are started from here, and end with it.
 */
import { createEngine, readNpy } from 'unnorm';
import * as wasm from '../../dist/wasm/plain/unnorm.js';
import { createPlayer } from './player.js';
import type { FromBench, ToBench } from './protocol.js';
import { crewsOf, roundsOf } from './settings.js';
import { workloads } from './workloads.js';

const say = (message: FromBench) => postMessage(message);

let waiting: Promise<void> | undefined;
let goOn: () => void = () => undefined;

addEventListener('message', ({ data }: MessageEvent<ToBench>) => {
  if (data.kind === 'pause') {
    waiting ??= new Promise((resolve) => {
      goOn = resolve;
    });
  } else if (data.kind === 'resume') {
    waiting = undefined;
    goOn();
  } else {
    measure(data).then(
      () => say({ kind: 'done' }),
      (error) => say({ kind: 'failed', message: String(error?.message ?? error) }),
    );
  }
});

async function measure(start: Extract<ToBench, { kind: 'start' }>): Promise<void> {
  const { size, numWorkers, numRounds, ids, files, wasmUrl } = start;
  const couplings = await read(files, 'www/data/spin-glass-10x10.couplings.npy');
  await wasm.default({ module_or_path: fetch(wasmUrl) });
  const player = createPlayer({
    createEngine,
    wasm,
    read: (file: string) => read(files, file),
  });
  const quick = size === 'small';
  for (const workload of workloads({ quick, couplings: readNpy(couplings).values })) {
    if (!ids.includes(workload.id)) continue;
    const crews = crewsOf(workload, numWorkers);
    for (const round of roundsOf(workload, numRounds)) {
      for (const crew of crews) {
        await waiting;
        say({ kind: 'begun', id: workload.id, crew });
        // Of estimates each round has another.
        const spec =
          workload.kind === 'logZ' ? { ...workload.spec, seed: round + 2 } : workload.spec;
        const { milliseconds, digest } = await player.ask({
          kind: workload.kind,
          spec,
          numWorkers: crew === 'one' ? 1 : numWorkers,
          seconds: quick ? 0.02 : 0.3,
        });
        say({ kind: 'timed', id: workload.id, crew, round, milliseconds, digest });
      }
    }
  }
  await player.close();
}

async function read(files: Record<string, string>, file: string): Promise<Uint8Array> {
  const url = files[file];
  if (!url) throw new Error(`${file} is not served`);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} could not be loaded (status ${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

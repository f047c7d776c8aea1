/** A web worker: its messages in both directions, for any WebAssembly build. */

import type { LatticeDevice } from './lattice-device.js';
import type { Numbered } from './line.js';
import type { ToWorker } from './protocol.js';
import type { WasmModule } from './wasm-api.js';
import { runWorker } from './worker-core.js';

/** Makes the current web worker a worker of the engine; `findDevice` finds a graphics processor where the build uses one. */
export function runWebWorker(
  importWasm: (threads: boolean) => Promise<WasmModule>,
  findDevice?: () => Promise<LatticeDevice | undefined>,
): void {
  const scope = globalThis as unknown as {
    postMessage(message: unknown, transfer: Transferable[]): void;
    onmessage: ((event: MessageEvent<Numbered<ToWorker>>) => void) | null;
  };

  // A message to oneself comes after those already queued, sooner than any timer.
  const { port1, port2 } = new MessageChannel();
  let woken = (): void => undefined;
  port1.onmessage = () => woken();

  runWorker({
    post: (message, transfer) => scope.postMessage(message, transfer),
    listen: (receive) => {
      scope.onmessage = (event) => receive(event.data);
    },
    importWasm,
    ...(findDevice && { findDevice }),
    yieldToMessages: () =>
      new Promise((resolve) => {
        woken = resolve;
        port2.postMessage(null);
      }),
  });
}

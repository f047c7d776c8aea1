/** Custom models in the worker: passes their modules to the core. */

import type { Fields } from './checks.js';
import type { CustomFunction, CustomModule } from './custom.js';
import { messageOf, type WireError } from './errors.js';
import { Silence } from './silence.js';
import type { WasmModule } from './wasm-api.js';

/**
 * Imports a module and passes its function to the core. Rejects with a {@link WireError}, also if
 * the module does not arrive within `patience`, in milliseconds.
 */
export async function loadCustom(
  { url, field }: CustomModule,
  wasm: WasmModule,
  patience: number,
): Promise<void> {
  const refusal = (problem: string): WireError => {
    const message = `${field}: the module ${url.slice(0, 80)} ${problem}`;
    return { code: 'invalid-model', message, field };
  };
  let module: Fields;
  let silence: Silence | undefined;
  try {
    module = await Promise.race([
      import(/* @vite-ignore */ /* webpackIgnore: true */ url),
      new Promise<never>((_, reject) => {
        const words = `it did not come within ${patience / 1000} seconds`;
        silence = new Silence(patience, { tooLong: () => reject(new Error(words)) });
        silence.watch();
      }),
    ]);
  } catch (cause) {
    throw refusal(`could not be loaded: ${messageOf(cause)}`);
  } finally {
    silence?.stop();
  }
  const exported = module['default'];
  if (typeof exported !== 'function') {
    throw refusal('has no function as its default export; export default (x, energy, grad) => …');
  }
  wasm.registerCustom(url, exported as CustomFunction);
}

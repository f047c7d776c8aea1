/**
 * Custom models: modules whose default export computes energies and gradients.
 */

import { invalidSpec, isObject } from './checks.js';

/**
 * The default export of a custom model's module. `x` holds B states of D entries, one after
 * another. The function writes the energy of each to `energy`, B numbers, and their gradients to
 * `grad`, in the layout of `x`. Outside the model's domain the energy is `Infinity`. The function
 * may use the arrays only until it returns, and it must not be asynchronous.
 *
 * A state must have the same energy whatever else is in the batch, or results will depend on the
 * number of workers. Functions of `Math` such as `exp` differ in the last bits between browsers,
 * and then so do results.
 */
export type CustomFunction = (x: Float64Array, energy: Float64Array, grad: Float64Array) => void;

/**
 * The URL of a module with this source text, for `{ kind: 'custom', url: moduleUrl('export default
 * (x, energy, grad) => { … }') }`. It is a `data:` URL, the same for the same text. A page with a
 * content security policy must allow `data:` in `script-src`; otherwise put the module in a file of
 * the site and give that file's URL.
 */
export function moduleUrl(source: string): string {
  return `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
}

/** Refuses URLs that a worker would resolve against its own location. */
export function checkCustom(model: unknown): void {
  const url = customUrl({ model });
  if (url === undefined) return;
  try {
    new URL(url);
    return;
  } catch {
    // It is refused below, with a clearer message.
  }
  const words = "must be an absolute URL, such as new URL('./model.js', import.meta.url).href";
  throw invalidSpec('model.url', words);
}

/** The module that a spec needs, if any. */
export function customUrl(spec: unknown): string | undefined {
  const model = isObject(spec) ? spec['model'] : undefined;
  if (!isObject(model) || model['kind'] !== 'custom') return undefined;
  return typeof model['url'] === 'string' ? model['url'] : undefined;
}

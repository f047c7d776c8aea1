/**
 * Custom models: modules whose default export computes energies and gradients.
 */

import { invalidSpec, isObject } from './checks.js';

/**
 * What the module of a custom model exports by default. `x` holds B states of D entries, one after
 * another; the function writes the energy of each to `energy`, B numbers, and their gradients to
 * `grad`, laid out as `x`. Where the model has no place the energy is `Infinity`. The arrays are
 * its to use only until it returns; it must not be asynchronous.
 *
 * The same state must have the same energy whatever else is in the batch, or results will depend on
 * the number of workers. Functions of `Math` such as `exp` differ in the last bits between
 * browsers, and so then will results.
 */
export type CustomFunction = (x: Float64Array, energy: Float64Array, grad: Float64Array) => void;

/**
 * The URL of a module with this source text, for `{ kind: 'custom', url: moduleUrl('export default
 * (x, energy, grad) => { … }') }`. It is a `data:` URL, the same for the same text. A page with a
 * content security policy has to allow `data:` in `script-src`; where it should not, put the
 * module in a file of the site and give that file's URL.
 */
export function moduleUrl(source: string): string {
  return `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
}

/** Refuses URLs that a worker would resolve against its own place. */
export function checkCustom(model: unknown): void {
  const url = customUrl({ model });
  if (url === undefined) return;
  try {
    new URL(url);
    return;
  } catch {
    // Refused below, in words of ours.
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

/**
 * Custom models: modules whose default export computes energies and gradients.
 */

import { type Fields, invalidSpec, isObject } from './checks.js';

/**
 * The default export of a custom model's module. `x` holds B states of D entries, one after
 * another. The function writes the energy of each to `energy`, B numbers, and their gradients to
 * `grad`, in the layout of `x`. Outside the model's domain the energy is `Infinity`. The function
 * may use the arrays only until it returns, and it must not be asynchronous.
 *
 * Of a model with `params` it also gets their values `params`, P numbers in alphabetical order of their
 * names, and where a fit asks for it `paramGrad`: B × P numbers to write ∂E/∂param to, state after
 * state.
 *
 * A state must have the same energy whatever else is in the batch, or results will depend on the
 * number of workers. Functions of `Math` such as `exp` differ in the last bits between browsers,
 * and then so do results.
 */
export type CustomFunction = (
  x: Float64Array,
  energy: Float64Array,
  grad: Float64Array,
  params: Float64Array,
  paramGrad?: Float64Array,
) => void;

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
export function checkCustom(spec: Fields): void {
  for (const { url, field } of customModules(spec)) {
    if (isAbsolute(url)) continue;
    const words = "must be an absolute URL, such as new URL('./model.js', import.meta.url).href";
    throw invalidSpec(field, words);
  }
}

function isAbsolute(url: string): boolean {
  try {
    return Boolean(new URL(url));
  } catch {
    return false;
  }
}

/** A module that a spec needs, and the field that names it. */
export interface CustomModule {
  url: string;
  field: string;
}

/** How deep models are looked for in others. */
const MAX_DEPTH = 32;

/** The modules that the model of a spec needs, and those it is combined of. */
export function customModules(spec: unknown): CustomModule[] {
  return isObject(spec) ? modulesOf(spec['model'], 'model', 0) : [];
}

function modulesOf(model: unknown, field: string, depth: number): CustomModule[] {
  if (!isObject(model) || depth > MAX_DEPTH) return [];
  const { kind, url, parts } = model;
  if (kind === 'custom') return typeof url === 'string' ? [{ url, field: `${field}.url` }] : [];
  if (kind !== 'combined' || !Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown, at) =>
    isObject(part) ? modulesOf(part['model'], `${field}.parts[${at}].model`, depth + 1) : [],
  );
}

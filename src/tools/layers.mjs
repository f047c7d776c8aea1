/**
 * Checks that the Rust modules keep their layers: nothing imports upward, and no files import one another in a circle. Between
 * crates the compiler sees to it; this is for the modules within them.
 *
 * It reads `use` declarations and paths that begin with `crate`, `self` or `super`, follows re-exports to the file that an
 * item comes from, and leaves tests out: those may use anything.
 */
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Failure, main, root } from './run.mjs';
import { filesUnder } from './stamp.mjs';

/** Crates whose modules other crates name as their own, and those they name by the crate. */
const SPREAD_CRATES = ['numerics', 'statistics'];
const NAMED_CRATES = [
  'wire',
  'energy',
  'models',
  'gaussian_process',
  'matrix_decomposition',
  'python',
];

/** Folders and files at the top of `src`, or of a crate there; each may import from its own row and from those above. */
export const LAYERS = [
  ['wire'],
  [
    'error',
    'checks',
    'linalg',
    'math',
    'rng',
    'bits',
    'bytes',
    'digest',
    'value',
    'optimize',
    'sorting',
    'arrays',
  ],
  ['gaussian_process'],
  ['matrix_decomposition'],
  ['energy'],
  ['models'],
  ['diagnostics'],
  ['weights'],
  ['data'],
  ['run'],
  ['exact'],
  ['sample'],
  ['mode'],
  ['markov'],
  ['normalize'],
  ['evidence'],
  ['fit'],
  ['network'],
  ['kernels'],
  ['structure'],
  ['memory'],
  ['patches'],
  ['energies'],
  ['verbs'],
  ['wasm'],
  ['python'],
];

/** The modules of all crates by path, `energy::schedule`, and what is in their files but for tests. */
function readModules(folder) {
  const files = filesUnder([folder], (file) => file.endsWith('.rs') && !file.includes('/tools/'));
  const modules = new Map();
  for (const file of files) {
    let name = relative(folder, file).slice(0, -3).split(sep).join('/');
    if (/(^|\/)tests(\/|$)/.test(name)) continue;
    const [crate] = name.split('/');
    if (SPREAD_CRATES.includes(crate)) {
      name = name.slice(crate.length + 1);
      if (name === 'lib') continue;
    }
    const path = name === 'lib' ? '' : name.replace(/\/(mod|lib)$/, '').replaceAll('/', '::');
    const text = readFileSync(join(root, file), 'utf8')
      .replace(/\/\/.*/g, '')
      .replace(/#\[cfg\(test\)\]\s*(#\[[^\n]*\]\s*)*mod \w+ \{[\s\S]*$/, '');
    modules.set(path, { name, text });
  }
  return modules;
}

/** `a::{b, c::d}` as a::b and a::c::d. */
function expand(tree) {
  const open = tree.indexOf('{');
  if (open < 0) return [tree.replace(/ as .*/, '').replace(/\s/g, '')];
  const branches = [];
  let [depth, start] = [0, open + 1];
  for (let at = open; at < tree.length; at++) {
    if (tree[at] === '{') depth += 1;
    if (tree[at] === '}') depth -= 1;
    if ((tree[at] === ',' && depth === 1) || (tree[at] === '}' && depth === 0)) {
      branches.push(tree.slice(start, at));
      start = at + 1;
    }
  }
  const stem = tree.slice(0, open);
  return branches
    .filter((branch) => branch.trim())
    .flatMap((branch) => expand(stem + branch.trim()));
}

/** A path as written in a module, from the root of the crate. */
function absolute(module, path) {
  let parts = path.split('::');
  if (parts[0] === 'crate') {
    const rest = parts.slice(1);
    const own = NAMED_CRATES.find((crate) => module.split('::')[0] === crate);
    return own && !LAYERS.flat().includes(rest[0]) ? [own, ...rest] : rest;
  }
  let base = module ? module.split('::') : [];
  while (parts[0] === 'self' || parts[0] === 'super') {
    if (parts[0] === 'super') base = base.slice(0, -1);
    parts = parts.slice(1);
  }
  return [...base, ...parts];
}

/** The module that a path leads to, and what is left of the path. */
function resolve(modules, parts) {
  for (let length = parts.length; length >= 0; length--) {
    const module = parts.slice(0, length).join('::');
    if (modules.has(module)) return [module, parts.slice(length)];
  }
  return ['', parts];
}

/** The modules that the items re-exported by each module come from. */
function reexports(modules) {
  const all = new Map();
  for (const [module, { text }] of modules) {
    const items = new Map();
    for (const [, tree] of text.matchAll(/\bpub(?:\([^)]*\))?\s+use\s+([^;]+);/g)) {
      for (const path of expand(tree)) {
        const isRooted = /^(crate|self|super)\b/.test(path);
        const [origin] = resolve(modules, absolute(module, isRooted ? path : `self::${path}`));
        items.set(path.split('::').at(-1), origin);
      }
    }
    all.set(module, items);
  }
  return all;
}

/** Arrows from file to file, by name. */
function readImports(modules) {
  const exported = reexports(modules);
  const arrows = new Map();
  for (const [module, { name, text }] of modules) {
    const uses = [...text.matchAll(/\buse\s+((?:crate|super|self)\b[^;]*);/g)];
    const inline = [...text.matchAll(/\b(?:crate|super)(?:::\w+)+/g)];
    const paths = [...uses.flatMap(([, tree]) => expand(tree)), ...inline.map(([path]) => path)];
    const targets = new Set();
    for (const path of paths) {
      let [target, rest] = resolve(modules, absolute(module, path));
      while (exported.get(target)?.has(rest[0]) && exported.get(target).get(rest[0]) !== target) {
        target = exported.get(target).get(rest[0]);
      }
      const file = modules.get(target)?.name;
      if (file && file !== name && target !== '') targets.add(file);
    }
    arrows.set(name, targets);
  }
  return arrows;
}

/** Files that import one another in a circle, by Tarjan's algorithm. */
function circles(arrows) {
  const [order, low, stack, found] = [new Map(), new Map(), [], []];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const next of arrows.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file), low.get(next)));
    }
    if (low.get(file) !== order.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) found.push(circle.sort().join(' '));
  };
  for (const file of arrows.keys()) if (!order.has(file)) visit(file);
  return found.sort();
}

/** What is wrong with the imports of the Rust files under a folder. */
export function layerFaults(folder) {
  const arrows = readImports(readModules(folder));
  const level = (file) => LAYERS.findIndex((row) => row.includes(file.split('/')[0]));
  const faults = [];
  for (const [file, targets] of arrows) {
    if (file !== 'lib' && level(file) < 0)
      faults.push(`${file}.rs is in no layer: name it in LAYERS.`);
    for (const target of targets) {
      if (file !== 'lib' && level(target) > level(file)) {
        faults.push(`${file}.rs imports upward, from ${target}.rs.`);
      }
    }
  }
  for (const circle of circles(arrows)) {
    faults.push(`These files import one another in a circle: ${circle.replaceAll(' ', ', ')}.`);
  }
  return faults;
}

export function checkLayers() {
  const faults = layerFaults('src');
  if (faults.length > 0) throw new Failure(`The layers are not kept:\n${faults.join('\n')}`);
}

await main(import.meta.url, checkLayers);

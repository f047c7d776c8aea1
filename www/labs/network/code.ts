import { functionsOf, literal, propertyLines } from '../../lib/code.js';
import knownNetwork from '../../lib/known-network.js?raw';
import { drawSpec } from './data.js';
import type { Network } from './network.svelte.js';
import { specWithoutData } from './specs.js';

/** The lines that find the same network with the package, printed from the very spec that the page runs. */
export function codeFor({ settings, example, own, names }: Network): string {
  const file = own.content?.name ?? 'answers.csv';
  return [
    ...(example ? [] : ["import { readFile } from 'node:fs/promises';"]),
    "import { createEngine } from 'unnorm';",
    '',
    'const engine = await createEngine();',
    // A heading may hold any mark.
    `const names = ${example ? literal(names) : JSON.stringify(names)};`,
    ...(example
      ? [
          '// The network that rows are drawn from: log odds ratios, and how much each node is on.',
          'const known = [',
          ...example.edges.map((edge) => `  ${literal(edge)},`),
          '];',
          `const leanings = ${literal(example.leanings)};`,
          '',
          ...functionsOf(knownNetwork, 'knownCouplings'),
          '// Independent exact draws.',
          'const couplings = knownCouplings(names, known, leanings);',
          'const { draws } = await engine.sample({',
          `  model: { kind: 'ising', dim: ${names.length}, couplings },`,
          ...propertyLines(drawSpec(settings.rows, settings.seed)),
          '});',
          "const data = { kind: 'bits', ...draws };",
        ]
      : [
          `const bytes = new Uint8Array(await readFile(${JSON.stringify(file)}));`,
          `const data = { kind: '${own.content?.kind ?? 'csv'}', bytes };`,
        ]),
    '',
    'const { edges, digest } = await engine.network({',
    '  data,',
    ...propertyLines(specWithoutData(settings)),
    '});',
    'console.log(digest);',
    '// Log odds ratios are −2J.',
    'console.table(',
    '  edges.map(({ sites, coupling, estimate, lower, upper, share }) => ({',
    "    edge: sites.map((site) => names[site]).join(' – '),",
    '    penalized: -2 * coupling,',
    '    ...(estimate !== undefined && { estimate: -2 * estimate, lower: -2 * upper, upper: -2 * lower }),',
    '    ...(share !== undefined && { share }),',
    '  })),',
    ');',
    'await engine.close();',
  ].join('\n');
}

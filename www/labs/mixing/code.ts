import type { ChainSpec } from 'unnorm';
import { propertyLines } from '../../lib/code.js';
import { SPINS, specOf } from './sizes.svelte.js';

/** The lines that compute the same with the package, printed from the very specs that the page runs. */
export function codeFor(spec: ChainSpec, beta: number): string {
  const { curieWeiss: _, ...rest } = specOf({ id: '', family: 'curieWeiss', beta, size: 0 });
  return [
    "import { createEngine } from 'unnorm';",
    '',
    'const engine = await createEngine();',
    'const chain = await engine.chain({',
    ...linesOf(spec),
    '});',
    "console.log('stationary', chain.stationary);",
    "console.log('irreducible', chain.irreducible, 'aperiodic', chain.aperiodic);",
    "console.log('reversible', chain.reversible, 'imbalance', chain.imbalance);",
    "console.log('gap', chain.gap, 'mixing time', chain.mixingTime);",
    "console.log('conductance', chain.conductance);",
    "console.log('digest', chain.digest);",
    '',
    '// Mixing against size.',
    `for (const numSpins of [${SPINS.join(', ')}]) {`,
    '  const { relaxationTime } = await engine.chain({',
    `    curieWeiss: { numSpins, beta: ${beta} },`,
    ...propertyLines(rest, 4),
    '  });',
    "  console.log(numSpins, 'spins', relaxationTime);",
    '}',
    'await engine.close();',
  ].join('\n');
}

/** Fields of a spec, matrices a row a line. */
function linesOf(spec: ChainSpec): string[] {
  return Object.entries(spec).flatMap(([name, value]) => {
    const isMatrix = name === 'transitions' || name === 'proposal';
    if (!isMatrix || !Array.isArray(value)) return propertyLines({ [name]: value });
    const size = Math.sqrt(value.length);
    const rows = Array.from(
      { length: size },
      (_, row) => `    ${value.slice(row * size, (row + 1) * size).join(', ')},`,
    );
    return [`  ${name}: [`, ...rows, '  ],'];
  });
}

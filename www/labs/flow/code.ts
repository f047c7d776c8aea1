import { functionsOf, literal, propertyLines } from '../../lib/code.js';
import source from '../../lib/probability-flow.js?raw';
import type { Counts } from './data.js';
import { couplingsOf } from './models.js';
import type { Settings } from './settings.js';
import { fitSpec } from './specs.js';

/**
 * The lines that print the numbers of the page: K and the flow at a moment in plain JavaScript, by a Taylor series of the
 * matrix exponential in place of eigenvectors, and the fit with the package, by the very spec that the page runs.
 */
export function codeFor(settings: Settings, counts: Counts, t: number): string {
  const entries = Object.entries(fitSpec(settings, counts));
  const rest = Object.fromEntries(entries.filter(([name]) => name !== 'model' && name !== 'data'));
  const { spins: dim, connectivity, between } = settings;
  const allFlips = connectivity === 'singleAndAllFlips';
  return [
    "import { createEngine } from 'unnorm';",
    '',
    '// States are whole numbers: bit i is x_i.',
    `const dim = ${dim};`,
    `const J = ${literal(Array.from(couplingsOf(settings)))};`,
    `const counts = ${literal(counts)};`,
    '',
    ...functionsOf(source, 'energiesOf', 'neighboursOf', 'flowObjective', 'rateMatrix'),
    '// exp(Γt) p: so many short steps that each needs few terms of its series.',
    'function flowed(rates, p, t) {',
    '  const size = p.length;',
    '  const fastest = Math.max(...rates.map(Math.abs));',
    '  const numSteps = Math.ceil(2 * fastest * t);',
    '  for (let step = 0; step < numSteps; step++) {',
    '    let term = p;',
    '    for (let n = 1; n <= 20; n++) {',
    '      term = p.map((_, i) => {',
    '        let sum = 0;',
    '        for (let j = 0; j < size; j++) sum += rates[i * size + j] * term[j];',
    '        return (sum * t) / numSteps / n;',
    '      });',
    '      p = p.map((value, i) => value + term[i]);',
    '    }',
    '  }',
    '  return p;',
    '}',
    '',
    'const numRows = counts.reduce((sum, count) => sum + count);',
    'const data = counts.map((count) => count / numRows);',
    'const energies = energiesOf(J, dim);',
    `const allFlips = ${allFlips};`,
    `const K = flowObjective(energies, data, dim, { allFlips, excludeData: ${between === 'out'} });`,
    'const slope = flowObjective(energies, data, dim, { allFlips, excludeData: true });',
    `const later = flowed(rateMatrix(energies, dim, allFlips), data, ${t});`,
    'const divergence = data.reduce((sum, p, i) => (p > 0 ? sum + p * Math.log(p / later[i]) : sum), 0);',
    "console.log('K', K, 'slope', slope, 'divergence at t', divergence);",
    '',
    'const rows = counts.flatMap((count, state) =>',
    '  Array.from({ length: count }, () => Array.from({ length: dim }, (_, i) => (state >> i) & 1)),',
    ');',
    'const engine = await createEngine();',
    'const result = await engine.fit({',
    "  model: { kind: 'ising', dim, couplings: J },",
    "  data: { kind: 'rows', rows },",
    ...propertyLines(rest),
    '});',
    "console.log('fitted K', result.objective, 'digest', result.digest);",
    'await engine.close();',
  ].join('\n');
}

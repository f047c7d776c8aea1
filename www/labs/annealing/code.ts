import { literal } from '../../lib/code.js';
import type { Annealing } from './annealing.svelte.js';
import { PATHS, rungsUpTo } from './settings.js';
import { specOf } from './specs.js';

/** The lines that run the same with the package, printed from the very specs that the page runs. */
export function codeFor({ settings }: Annealing): string {
  const { model, reference, schedule, transition, numChains, seed } = specOf(
    settings,
    'geometric',
    10,
  );
  const drawn = schedule?.kind === 'given';
  return [
    "import { createEngine } from 'unnorm';",
    '',
    'const common = {',
    `  model: ${literal(model)},`,
    `  reference: ${literal(reference)},`,
    `  transition: ${literal(transition)},`,
    ...(drawn ? [] : [`  schedule: ${literal(schedule)},`]),
    `  numChains: ${numChains},`,
    `  seed: ${seed},`,
    '};',
    ...(drawn ? drawnLines(settings.curve) : []),
    '',
    'const engine = await createEngine();',
    `for (const numDistributions of ${literal(rungsUpTo(settings.most))}) {`,
    `  for (const kind of ${literal(PATHS.map(({ id }) => id))}) {`,
    drawn ? "    const schedule = { kind: 'given', betas: betasOf(numDistributions) };" : undefined,
    `    const spec = { ...common, path: { kind }, ${drawn ? 'schedule, ' : ''}numDistributions };`,
    '    const { logZ, interval, exactLogZ, forward, digest } = await engine.logZ(spec);',
    '    console.log(numDistributions, kind, logZ - exactLogZ, interval, forward.weightEss, digest);',
    '  }',
    '}',
    'await engine.close();',
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}

/** The curve drawn by hand: cubic pieces with slopes that are weighted harmonic means of the secants. */
function drawnLines(curve: readonly (readonly [number, number])[]): string[] {
  return [
    '',
    '// A curve that nowhere falls (Fritsch and Butland 1984), from 0, 0 to 1, 1 through these points.',
    `const points = ${literal([[0, 0], ...curve, [1, 1]])};`,
    'const widths = points.slice(1).map(([x], n) => x - points[n][0]);',
    'const secants = points.slice(1).map(([, y], n) => (y - points[n][1]) / widths[n]);',
    'const slopes = points.map((_, n) => {',
    '  if (n === 0) return secants[0];',
    '  if (n === points.length - 1) return secants[n - 1];',
    '  const [a, b] = [2 * widths[n] + widths[n - 1], widths[n] + 2 * widths[n - 1]];',
    '  return (a + b) / (a / secants[n - 1] + b / secants[n]);',
    '});',
    'function betaAt(share) {',
    '  const next = points.findIndex(([x]) => x >= share);',
    '  const n = next - 1;',
    '  const t = (share - points[n][0]) / widths[n];',
    '  const left = 1 - t;',
    '  return (',
    '    points[n][1] * left * left * (1 + 2 * t) +',
    '    points[next][1] * t * t * (1 + 2 * left) +',
    '    t * left * (left * (widths[n] * slopes[n]) - t * (widths[n] * slopes[next]))',
    '  );',
    '}',
    'const betasOf = (count) =>',
    '  Array.from({ length: count + 1 }, (_, k) => (k === 0 || k === count ? k / count : betaAt(k / count)));',
  ];
}

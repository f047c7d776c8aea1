import { literal } from '../../lib/code.js';
import { type Done, type LatticeLab, settlingDraws, startsAligned } from './lattice.svelte.js';
import { numDrawsOf, stepsPerDraw } from './segment.js';
import { type Settings, SWEEP } from './settings.js';

/** What a segment of the code says. */
type Line = Pick<Done, 'temperature' | 'field' | 'sampler' | 'numDraws'>;

/** The lines that take the run on the page again with the package; before there is one, the run that is set. */
export function codeFor(lab: LatticeLab): string {
  const { side, settings } = lab;
  const segments = lab.done.length > 0 ? lab.done : plannedSegments(settings);
  const { seed, aligned } = lab.ran ?? { seed: settings.seed, aligned: startsAligned(settings) };
  const start = aligned
    ? 'asStart(new Uint8Array((side * side) / 8).fill(255))'
    : "{ kind: 'random' }";
  return [
    "import { createEngine } from 'unnorm';",
    '',
    `const side = ${side};`,
    `const seed = ${seed};`,
    '// Every segment starts from the last state of the one before.',
    'const segments = [',
    ...runLengths(segments, side),
    '];',
    '',
    'const dim = side * side;',
    "const asStart = (bits) => ({ kind: 'data', data: { kind: 'bits', dim, numRows: 1, bits } });",
    `let start = ${start};`,
    `const engine = await createEngine(${settings.device === 'gpu' ? '{ gpu: true }' : ''});`,
    'for (const [n, { temperature, field, kind, numDraws, numStepsPerDraw }] of segments.entries()) {',
    '  const { draws, energies } = await engine.sample({',
    '    model: {',
    "      kind: 'ising',",
    '      dim,',
    "      pattern: { kind: 'lattice', numRows: side, numCols: side, periodic: true },",
    '      uniform: { coupling: 1 / temperature, field: field / temperature },',
    '    },',
    '    transition: { kind },',
    '    numChains: 1,',
    '    numWarmup: 0,',
    '    numDraws,',
    '    numStepsPerDraw,',
    '    moments: false,',
    '    energies: true,',
    '    start,',
    '    seed: seed * 2 ** 20 + n,',
    '  });',
    '  start = asStart(draws.bits.slice(-dim / 8));',
    '  // The energy of zeros and ones is higher than that of spins by a constant.',
    '  const mean = energies.reduce((sum, energy) => sum + energy, 0) / numDraws;',
    '  console.log(temperature, (temperature * mean) / dim - 2 + field);',
    '}',
    'await engine.close();',
  ].join('\n');
}

function plannedSegments(settings: Settings): Line[] {
  const { sampler, field, mode } = settings;
  const numDraws = numDrawsOf(settings.numDraws, Number(settings.side));
  const temperatures = mode === 'sweep' ? SWEEP : [settings.temperature];
  return temperatures.flatMap((temperature) => [
    { temperature, field, sampler, numDraws: settlingDraws(numDraws) },
    { temperature, field, sampler, numDraws },
  ]);
}

/** Segments that are alike on one line. */
function runLengths(segments: readonly Line[], side: number): string[] {
  const runs: { text: string; times: number }[] = [];
  for (const { temperature, field, sampler, numDraws } of segments) {
    const numStepsPerDraw = stepsPerDraw({ side, sampler, temperature });
    const text = literal({ temperature, field, kind: sampler, numDraws, numStepsPerDraw });
    const last = runs.at(-1);
    if (last?.text === text) last.times += 1;
    else runs.push({ text, times: 1 });
  }
  return runs.map(({ text, times }) =>
    times === 1 ? `  ${text},` : `  ...Array(${times}).fill(${text}),`,
  );
}

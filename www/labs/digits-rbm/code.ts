import { literal } from '../../lib/code.js';
import { digitsUrl, MAX_TRAINING_ROWS, NUM_PIXELS } from '../../lib/digits.js';
import { bytesPerRow } from '../../lib/packed-rows.js';
import { fitSpecWithoutData } from './fit-spec.js';
import { finalSampling, NUM_CHAINS } from './sampling.js';
import type { Settings } from './settings.js';

/**
 * The lines that fit and sample the model of these settings with the package. Printed from the very specs that the
 * page runs.
 */
export function codeFor(settings: Settings): string {
  const { model, ...rest } = fitSpecWithoutData(settings);
  const width = bytesPerRow(NUM_PIXELS);
  const start =
    settings.start === 'noise'
      ? "{ kind: 'random' }"
      : `{ kind: 'data', data: { kind: 'bits', dim, numRows: ${NUM_CHAINS}, bits: all.subarray(${MAX_TRAINING_ROWS} * ${width}, ${MAX_TRAINING_ROWS + NUM_CHAINS} * ${width}) } }`;
  const properties = (spec: object) =>
    Object.entries(spec).map(([name, value]) => `  ${name}: ${literal(value)},`);
  return [
    "import { createEngine } from 'unnorm';",
    '',
    `const [dim, numRows] = [${NUM_PIXELS}, ${settings.rows}];`,
    `const response = await fetch('${digitsUrl}');`,
    'const all = new Uint8Array(await response.arrayBuffer());',
    `const bits = all.subarray(0, numRows * ${width});`,
    '',
    '// Each pixel starts from its log odds of ink, rounded so that they are the same everywhere.',
    'const visibleBias = Array.from({ length: dim }, (_, pixel) => {',
    '  let numOn = 1;',
    `  for (let row = 0; row < numRows; row++) numOn += (bits[row * ${width} + (pixel >> 3)] >> (pixel & 7)) & 1;`,
    '  return Math.round(1024 * Math.log(numOn / (numRows + 2 - numOn))) / 1024;',
    '});',
    '',
    'const engine = await createEngine();',
    'const result = await engine.fit({',
    `  model: { ...${literal(model)}, visibleBias },`,
    "  data: { kind: 'bits', dim, numRows, bits },",
    ...properties(rest),
    '});',
    'const { draws } = await engine.sample({',
    '  model: result.model,',
    ...properties(finalSampling(settings)),
    `  start: ${start},`,
    '});',
    'console.log(draws.numRows, result.digest);',
    'await engine.close();',
  ].join('\n');
}

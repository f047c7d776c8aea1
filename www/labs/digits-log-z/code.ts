import { literal, propertyLines } from '../../lib/code.js';
import { digitsUrl, NUM_PIXELS } from '../../lib/digits.js';
import { bytesPerRow } from '../../lib/packed-rows.js';
import { annealingSpec, knotsSpec, NUM_ROWS, trainingSpec } from './jobs.js';
import type { Settings } from './settings.js';

/** The lines that run the same with the package, printed from the very specs that the page runs. */
export function codeFor(settings: Settings): string {
  const width = bytesPerRow(NUM_PIXELS);
  const { model, ...training } = trainingSpec(settings);
  return [
    "import { createEngine } from 'unnorm';",
    '',
    `const [dim, numRows] = [${NUM_PIXELS}, ${NUM_ROWS}];`,
    `const response = await fetch('${digitsUrl}');`,
    'const all = new Uint8Array(await response.arrayBuffer());',
    `const bits = all.subarray(0, numRows * ${width});`,
    ...referenceLines(settings),
    '',
    'const engine = await createEngine();',
    'const { model } = await engine.fit({',
    `  model: ${literal(model)},`,
    "  data: { kind: 'bits', dim, numRows, bits },",
    ...propertyLines(training),
    '});',
    'const { logZ: exact } = await engine.exact({ model });',
    'const { path: moments } = await engine.spline({',
    '  model,',
    '  reference,',
    ...propertyLines(knotsSpec(settings)),
    '});',
    "for (const path of [{ kind: 'geometric' }, moments]) {",
    '  const { forward, digest } = await engine.logZ({',
    '    model,',
    '    reference,',
    '    path,',
    ...propertyLines(annealingSpec(settings), 4),
    '  });',
    '  console.log(path.kind, forward.logZ.value - exact, forward.weightEss, digest);',
    '}',
    'await engine.close();',
  ].join('\n');
}

function referenceLines({ reference }: Settings): string[] {
  if (reference === 'uniform') return ["const reference = { kind: 'uniform' };"];
  const width = bytesPerRow(NUM_PIXELS);
  return [
    '',
    '// The log odds of ink of each pixel, rounded so that they are the same everywhere.',
    'const logOdds = Array.from({ length: dim }, (_, pixel) => {',
    '  let numOn = 1;',
    `  for (let row = 0; row < numRows; row++) numOn += (bits[row * ${width} + (pixel >> 3)] >> (pixel & 7)) & 1;`,
    '  return Math.round(1024 * Math.log(numOn / (numRows + 2 - numOn))) / 1024;',
    '});',
    "const reference = { kind: 'independent', logOdds };",
  ];
}

import { propertyLines } from '../../lib/code.js';
import { digitsUrl, MAX_TRAINING_ROWS, NUM_PIXELS } from '../../lib/digits.js';
import { bytesPerRow } from '../../lib/packed-rows.js';
import {
  completionWithoutModel,
  fitWithoutData,
  givenOf,
  likelihoodWithoutModel,
} from './machine.js';
import { base64 } from './pictures-text.js';
import { etaOf } from './posterior.js';
import type { Restore } from './restore.svelte.js';
import { drawsWithoutModel } from './steps.js';

/** The lines that compute the same with the package, printed from the very specs that the page runs. */
export function codeFor(lab: Restore): string {
  return lab.isNoise ? noisyCode(lab) : completionCode(lab);
}

function noisyCode({ noisy, plainSettings }: Restore): string {
  const { seen, side } = noisy;
  if (!seen) return '// There is no picture yet.';
  const { seed, draws } = plainSettings;
  return [
    "import { createEngine } from 'unnorm';",
    '',
    `const [side, beta, eta, seed] = [${side}, ${seen.beta}, ${etaOf(seen.noise)}, ${seed}];`,
    'const unpack = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));',
    '// What is seen, and which pixels are unknown: row by row, least significant bit first.',
    `const seen = unpack('${base64(seen.bits)}');`,
    `const hole = unpack('${base64(seen.hole)}');`,
    'const isSet = (bits, n) => (bits[n >> 3] >> (n & 7)) & 1;',
    '',
    '// E(s) = −β Σ s_i s_j − η Σ s_i y_i, in x = (s + 1)/2.',
    'const dim = side * side;',
    'const biases = new Array(dim).fill(0);',
    'const couplings = [];',
    'for (let i = 0; i < dim; i++) {',
    '  if (!isSet(hole, i)) biases[i] += isSet(seen, i) ? -2 * eta : 2 * eta;',
    '  for (const j of [i % side < side - 1 ? i + 1 : dim, i + side]) {',
    '    if (j >= dim) continue;',
    '    couplings.push(0 - 2 * beta);',
    '    biases[i] += 2 * beta;',
    '    biases[j] += 2 * beta;',
    '  }',
    '}',
    "const pattern = { kind: 'lattice', numRows: side, numCols: side };",
    "const model = { kind: 'ising', dim, pattern, params: [...biases, ...couplings] };",
    '',
    'const engine = await createEngine();',
    "const cues = { kind: 'bits', dim, numRows: 1, bits: seen };",
    'const descent = await engine.recall({ model, cues, seed });',
    'const cut = await engine.mode({ model });',
    'const { draws, digest } = await engine.sample({',
    '  model,',
    ...propertyLines(drawsWithoutModel(draws, seed)),
    '});',
    'const mean = Array.from({ length: dim }, (_, i) => {',
    '  let ink = 0;',
    '  for (let row = 0; row < draws.numRows; row++) ink += isSet(draws.bits, row * dim + i);',
    '  return ink / draws.numRows;',
    '});',
    "console.log('energies', descent.energies[0], cut.energy);",
    "console.log('pixels of ink expected', mean.reduce((sum, m) => sum + m, 0));",
    "console.log('digests', descent.digest, cut.digest, digest);",
    'await engine.close();',
  ].join('\n');
}

function completionCode({ completion, plainSettings }: Restore): string {
  const { digit, erased, numErased } = completion;
  if (!digit) return '// There is no digit yet.';
  if (numErased === 0) return '// Nothing is erased.';
  const { model, ...fit } = fitWithoutData(plainSettings);
  const { sites, values } = givenOf(digit.bits, erased);
  const width = bytesPerRow(NUM_PIXELS);
  const { seed } = plainSettings;
  return [
    "import { createEngine } from 'unnorm';",
    '',
    `const [dim, numRows] = [${NUM_PIXELS}, ${plainSettings.rows}];`,
    `// ${MAX_TRAINING_ROWS} rows to learn from, and 1000 more.`,
    `const response = await fetch('${digitsUrl}');`,
    'const all = new Uint8Array(await response.arrayBuffer());',
    `const bits = all.slice(0, numRows * ${width});`,
    '',
    '// Each pixel starts from its log odds of ink, rounded so that they are the same everywhere.',
    'const visibleBias = Array.from({ length: dim }, (_, pixel) => {',
    '  let numOn = 1;',
    `  for (let row = 0; row < numRows; row++) numOn += (bits[row * ${width} + (pixel >> 3)] >> (pixel & 7)) & 1;`,
    '  return Math.round(1024 * Math.log(numOn / (numRows + 2 - numOn))) / 1024;',
    '});',
    '',
    'const engine = await createEngine();',
    'const { model } = await engine.fit({',
    `  model: { kind: 'rbm', numVisible: dim, numHidden: ${model.numHidden}, visibleBias },`,
    "  data: { kind: 'bits', dim, numRows, bits },",
    ...propertyLines(fit),
    '});',
    '',
    '// What is given of the digit.',
    'const observed = {',
    `  sites: [${sites.join(', ')}],`,
    `  values: [${values.join(', ')}],`,
    '};',
    'const { draws, digest } = await engine.sample({',
    '  model,',
    '  observed,',
    ...propertyLines(completionWithoutModel(seed)),
    '});',
    '',
    '// ln p of the rest of the digit, given these.',
    `const digit = Uint8Array.from(atob('${base64(digit.bits)}'), (c) => c.charCodeAt(0));`,
    'const { likelihood } = await engine.logZ({',
    '  model,',
    '  observed,',
    "  data: { kind: 'bits', dim, numRows: 1, bits: digit },",
    "  reference: { kind: 'independent', logOdds: visibleBias },",
    ...propertyLines(likelihoodWithoutModel(seed)),
    '});',
    'console.log(draws.numRows, likelihood.mean.value, digest);',
    'await engine.close();',
  ].join('\n');
}

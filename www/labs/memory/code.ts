import { functionsOf, literal } from '../../lib/code.js';
import { fingerprintsUrl } from '../../lib/fingerprints.js';
import randomBits from '../../lib/random-bits.js?raw';
import { ruleJob } from './capacity.svelte.js';
import type { MemoryLab } from './memory.svelte.js';
import { base64 } from './own-pictures.js';
import { type Pictures, STREAMS } from './pictures.js';
import { memorizeSpec } from './rules.js';
import { MAX_FINGERPRINTS, type Settings } from './settings.js';

/** Bytes of pictures that the lines hold themselves; more are read from a file. */
const MAX_INLINE = 4096;

/** The lines that store the same pictures and recall the same cue, or measure the same curves. */
export function codeFor(lab: MemoryLab): string {
  const settings = lab.plainSettings;
  if (lab.isCapacity) return capacityCode(lab, settings);
  const pictures = lab.memory?.pictures ?? lab.pictures;
  if (!pictures || pictures.rows.numRows === 0) return '// There are no pictures yet.';
  const { dim, numRows } = pictures.rows;
  const spec = memorizeSpec(settings, dim);
  const cue = lab.recall.recalled?.start ?? lab.recall.cue;
  return [
    "import { createEngine } from 'unnorm';",
    '',
    `const [dim, numRows] = [${dim}, ${numRows}];`,
    'const unpack = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));',
    ...patternLines(pictures, settings),
    '',
    'const engine = await createEngine();',
    'const { model, numStored, margins, digest } = await engine.memorize({',
    ...Object.entries(spec).map(([name, value]) => `  ${name}: ${literal(value)},`),
    '  patterns,',
    '});',
    'console.log(numStored, Math.min(...margins), digest);',
    ...(cue?.some((byte) => byte !== 0)
      ? [
          '',
          '// What stands on the grid, row by row, least significant bit first.',
          `const cue = unpack('${base64(cue)}');`,
          'const { states, energies, paths } = await engine.recall({',
          '  model,',
          "  cues: { kind: 'bits', dim, numRows: 1, bits: cue },",
          `  order: ${literal({ kind: settings.order })},`,
          '  paths: true,',
          `  seed: ${settings.seed},`,
          '});',
          'console.log(paths.sites.length, energies[0], states.bits.join());',
        ]
      : []),
    'await engine.close();',
  ].join('\n');
}

function patternLines({ side, rows }: Pictures, { source, own }: Settings): string[] {
  if (rows.bits.length <= MAX_INLINE) {
    return [
      `const bits = unpack('${base64(rows.bits)}');`,
      "const patterns = { kind: 'bits', dim, numRows, bits };",
    ];
  }
  const isWhole = source === 'fingerprints' && side === 64 && own.pictures.length === 0;
  if (isWhole && rows.numRows <= MAX_FINGERPRINTS) {
    return [
      `const response = await fetch('${fingerprintsUrl}');`,
      'const bits = new Uint8Array(await response.arrayBuffer()).slice(0, (numRows * dim) / 8);',
      "const patterns = { kind: 'bits', dim, numRows, bits };",
    ];
  }
  return [
    '// The file “Pictures, NPY” of this page’s downloads, where your program finds it.',
    "const response = await fetch('memory-pictures.npy');",
    "const patterns = { kind: 'npy', bytes: new Uint8Array(await response.arrayBuffer()) };",
  ];
}

function capacityCode({ capacity }: MemoryLab, settings: Settings): string {
  const { units, trials, seed } = settings;
  const jobs = Object.fromEntries(capacity.rules.map(({ id }) => [id, ruleJob(settings, id)]));
  return [
    "import { createEngine } from 'unnorm';",
    '',
    ...functionsOf(randomBits, 'mix', 'words', 'randomRows'),
    `const [dim, numTrials, seed] = [${units}, ${trials}, ${seed}];`,
    `const numbers = ${literal(capacity.numbers)};`,
    `const jobs = ${literal(jobs)};`,
    '',
    'const engine = await createEngine();',
    'for (const numRows of numbers) {',
    '  for (const [rule, job] of Object.entries(jobs)) {',
    '    let stored = 0;',
    '    for (let trial = 0; trial < numTrials; trial++) {',
    `      const bits = randomRows(numRows, dim, seed, ${STREAMS.trials} + trial);`,
    "      const patterns = { kind: 'bits', dim, numRows, bits };",
    '      const result = await engine.memorize({ ...job, patterns });',
    '      stored += result.numStored / numRows / numTrials;',
    '    }',
    '    console.log(numRows, rule, stored);',
    '  }',
    '}',
    'await engine.close();',
  ].join('\n');
}

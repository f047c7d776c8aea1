import { literal } from '../../lib/code.js';
import type { OwnBits } from '../../lib/own-bits.js';
import { bytesPerRow } from '../../lib/packed-rows.js';
import { glassUrl } from '../../lib/spin-glass.js';
import { fitSpecWithoutData, type LearnData } from './fit-spec.js';
import type { Settings } from './settings.js';

/**
 * The lines that compute the result of these settings with the package. Printed from the very spec that the page
 * runs, so that they cannot say something else.
 */
export function codeFor(settings: Settings, data: LearnData, file: OwnBits | undefined): string {
  const { dim, numRows } = data.rows;
  const spec = fitSpecWithoutData(settings, data);
  const dataSource = file
    ? {
        before: ["import { readFile } from 'node:fs/promises';"],
        load: [`const bytes = new Uint8Array(await readFile(${JSON.stringify(file.name)}));`],
        data: `{ kind: '${file.kind}', bytes }`,
      }
    : {
        before: [],
        load: [
          `const response = await fetch('${glassUrl}');`,
          `const bits = new Uint8Array(await response.arrayBuffer()).subarray(0, ${numRows} * ${bytesPerRow(dim)});`,
        ],
        data: `{ kind: 'bits', dim: ${dim}, numRows: ${numRows}, bits }`,
      };
  const entries = [
    `  model: ${literal(spec.model)},`,
    `  data: ${dataSource.data},`,
    ...Object.entries(spec)
      .filter(([name]) => name !== 'model')
      .map(([name, value]) => `  ${name}: ${literal(value)},`),
  ];
  return [
    ...dataSource.before,
    "import { createEngine } from 'unnorm';",
    '',
    ...dataSource.load,
    '',
    'const engine = await createEngine();',
    'const result = await engine.fit({',
    ...entries,
    '});',
    'console.log(result.objective, result.digest);',
    'await engine.close();',
  ].join('\n');
}

import { functionsOf, literal, propertyLines } from '../../lib/code.js';
import ownTable from '../../lib/own-table.js?raw';
import randomBits from '../../lib/random-bits.js?raw';
import resampledSource from '../../lib/resampled.js?raw';
import { drawSpec, type OwnTable } from './data.js';
import type { FitEnergy } from './fit-energy.svelte.js';
import { fitSpecWithoutData } from './jobs.js';

/** The lines that make the same fits with the package, printed from the very specs that the page runs. */
export function codeFor(lab: FitEnergy): string {
  const { settings, own, example, radius, model, truth } = lab;
  const { method, seed, repeats } = settings;
  const isBinary = lab.isBinary;
  const field = isBinary ? 'data' : 'states';
  const others = repeats > 0 ? (truth ? 'draws' : 'bootstrap') : 'none';
  return [
    ...(example ? [] : ["import { readFile } from 'node:fs/promises';"]),
    "import { createEngine } from 'unnorm';",
    '',
    'const engine = await createEngine();',
    'const model = {',
    ...propertyLines(model),
    '};',
    '',
    ...(example
      ? drawing(drawSpec(example, settings.rows, seed), isBinary)
      : own.content
        ? reading(own.content)
        : []),
    `const fitTo = (${field}) =>`,
    '  engine.fit({',
    '    model,',
    `    ${field},`,
    ...propertyLines(fitSpecWithoutData(method, radius, seed), 4),
    '  });',
    '',
    `const ${field} = ${example ? `await draw(${seed})` : 'table'};`,
    `const { errors, warnings, digest } = await fitTo(${field});`,
    'console.log(digest);',
    'if (errors) console.table(errors.parameters);',
    'else console.log(warnings);',
    ...(others === 'none' ? [] : ['', ...repeating(lab, others)]),
    'await engine.close();',
  ].join('\n');
}

function drawing(spec: ReturnType<typeof drawSpec>, isBinary: boolean): string[] {
  const { seed: _, ...rest } = spec;
  return [
    '// Independent exact draws.',
    'async function draw(seed) {',
    '  const { draws } = await engine.sample({',
    ...propertyLines(rest, 4),
    '    seed,',
    '  });',
    `  return ${isBinary ? "{ kind: 'bits', ...draws }" : 'draws.values'};`,
    '}',
    '',
  ];
}

/** Rows from the file, as the page reads them. */
function reading({ name, rows, variables }: OwnTable): string[] {
  return [
    ...functionsOf(ownTable, 'tableOfText'),
    `// Rows of ${variables.join(', ')}.`,
    `const { rows } = tableOfText(await readFile(${JSON.stringify(name)}, 'utf8'));`,
    `const table = ${rows.isBinary ? "{ kind: 'rows', rows }" : 'Float64Array.from(rows.flat())'};`,
    '',
  ];
}

function repeating(
  { settings, truth, starts, rows, isBinary }: FitEnergy,
  others: string,
): string[] {
  const { repeats, seed } = settings;
  const names = starts.map(({ name }) => name);
  const isDrawn = others === 'draws';
  const dim = rows?.dim ?? 1;
  const field = isBinary ? 'data' : 'states';
  const again = isBinary
    ? "{ kind: 'rows', rows: Array.from(drawn, (row) => all[row]) }"
    : `Float64Array.from({ length: ${field}.length }, (_, at) => ${field}[${dim} * drawn[Math.floor(at / ${dim})] + (at % ${dim})])`;
  const next = isDrawn
    ? [`  const { errors } = await fitTo(await draw(${seed} + n));`]
    : [
        `  const drawn = drawnRows(${rows?.numRows ?? 0}, ${seed}, n);`,
        `  const { errors } = await fitTo(${again});`,
      ];
  return [
    ...(isDrawn
      ? ['// How many intervals hold the truth.', `const aims = ${literal({ ...truth })};`]
      : [
          '// The same with rows drawn with replacement: how many intervals hold the estimate.',
          ...functionsOf(randomBits, 'mix', 'words'),
          ...functionsOf(resampledSource, 'drawnRows'),
          ...(isBinary ? [`const all = ${allRows(dim)};`] : []),
          'const aims = Object.fromEntries((errors?.parameters ?? []).map(({ name, value }) => [name, value]));',
        ]),
    `const held = ${literal(Object.fromEntries(names.map((name) => [name, 0])))};`,
    `for (let n = 1; n <= ${repeats}; n++) {`,
    ...next,
    '  for (const { name, lower, upper } of errors?.parameters ?? []) {',
    '    if (lower <= aims[name] && aims[name] <= upper) held[name]++;',
    '  }',
    '}',
    'console.log(JSON.stringify(held));',
  ];
}

/** Rows of packed bits, or of the file, as lists. */
function allRows(dim: number): string {
  const width = Math.ceil(dim / 8);
  return `data.rows ?? Array.from({ length: data.numRows }, (_, row) => Array.from({ length: ${dim} }, (_, site) => (data.bits[${width} * row + (site >> 3)] >> (site & 7)) & 1))`;
}

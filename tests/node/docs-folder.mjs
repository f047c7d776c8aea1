/** A folder in which code of the documentation is at home: the packed package is installed, and files lie about. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainRows } from './data.mjs';
import { root } from './docs-code.mjs';

/** Prints a value and the place that printed it. */
const printer = `import { format } from 'node:util';
globalThis.print = (place, ...values) => {
  process.stdout.write(\`printed \${JSON.stringify([place, format(...values)])}\\n\`);
};
`;

/** Makes it anew, below `out`. */
export function makeFolder(name) {
  const path = join(root, 'out', name);
  const remove = () => rmSync(path, { recursive: true, force: true });
  remove();
  mkdirSync(path, { recursive: true });
  // As someone who installed the tarball has it.
  symlinkSync(join(root, 'out/pack/node_modules'), join(path, 'node_modules'), 'dir');
  writeFileSync(join(path, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(path, 'printer.mjs'), printer);
  // What pages call spikes.csv: six neurons, 400 moments.
  const [numRows, dim] = [400, 6];
  const values = chainRows({ numRows, dim });
  const rows = Array.from({ length: numRows }, (_, row) =>
    values.slice(row * dim, (row + 1) * dim).join(','),
  );
  writeFileSync(join(path, 'spikes.csv'), `${rows.join('\n')}\n`);
  return { path, remove };
}

/** A name for a program's file. */
export const nameOf = (program) => program.where.replace(/[^\w]+/g, '-');

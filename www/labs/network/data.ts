import type { Engine, SampleSpec } from 'unnorm';
import { isSet } from '../../lib/bit-pictures.js';
import { count } from '../../lib/format.js';
import { knownCouplings } from '../../lib/known-network.js';
import { type OwnBits, readOwnFile } from '../../lib/own-bits.js';
import { bytesPerRow, type PackedRows } from '../../lib/packed-rows.js';
import { columnNames, headsOfText } from '../../lib/table-heads.js';
import type { Example } from './examples.js';

/** A table of the visitor's, with the names of its columns. */
export interface OwnTable extends OwnBits {
  names: string[];
}

const MAX_NODES = 256;
/** Bytes in which the first line of a file is looked for. */
const HEAD_BYTES = 100_000;

/** Couplings that the rows of an example are drawn from. */
export function trueCouplings({ names, edges, leanings }: Example): Float64Array {
  return knownCouplings(names, edges, leanings);
}

/** What exact draws are asked for, but for the model. */
export function drawSpec(numRows: number, seed: number) {
  return {
    transition: { kind: 'gibbs' },
    numChains: numRows,
    numWarmup: 0,
    numDraws: 1,
    start: { kind: 'exact' },
    seed,
  } as const satisfies Partial<SampleSpec>;
}

/** Independent exact draws of an example. */
export async function drawn(
  engine: Engine,
  example: Example,
  numRows: number,
  seed: number,
): Promise<PackedRows> {
  const dim = example.names.length;
  const couplings = trueCouplings(example);
  const model = { kind: 'ising', dim, couplings } as const;
  const { draws } = await engine.sample({ model, ...drawSpec(numRows, seed) });
  return { dim, numRows, bits: draws.bits };
}

/** Reads a table of bits or spins; its first line may hold the names of the columns. */
export async function readOwnTable(file: File, engine: Engine): Promise<OwnTable> {
  const own = await readOwnFile(file, engine);
  const { dim } = own.rows;
  if (dim < 2 || dim > MAX_NODES) {
    throw new Error(
      `${file.name}: has ${count(dim)} ${dim === 1 ? 'column' : 'columns'}; a network here has 2 to ${MAX_NODES} nodes, a column each.`,
    );
  }
  const heads =
    own.kind === 'csv' ? headsOfText(await file.slice(0, HEAD_BYTES).text()) : undefined;
  const names = columnNames(heads, dim);
  const constant = constantColumn(own.rows);
  if (constant) {
    throw new Error(
      `${file.name}: the column “${names[constant.column]}” is ${constant.value} in every row; nothing can depend on what never changes, so leave it out.`,
    );
  }
  return { ...own, names };
}

/** The first column that is the same in every row. */
function constantColumn(rows: PackedRows): { column: number; value: number } | undefined {
  for (let column = 0; column < rows.dim; column++) {
    const first = bitAt(rows, 0, column);
    let row = 1;
    while (row < rows.numRows && bitAt(rows, row, column) === first) row++;
    if (row === rows.numRows) return { column, value: Number(first) };
  }
  return undefined;
}

export function bitAt({ dim, bits }: PackedRows, row: number, column: number): boolean {
  return isSet(bits, 8 * bytesPerRow(dim) * row + column);
}

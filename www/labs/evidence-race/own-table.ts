import { bytes as sizeInWords } from '../../lib/format.js';
import { centred, rowsOfText } from '../../lib/own-table.js';

/** A table of numbers from a file of the visitor's. */
export interface OwnTable {
  name: string;
  /** Without the means of the columns, in units of their spread, row after row. */
  states: Float64Array;
  numRows: number;
  dim: number;
}

const LARGEST_FILE = 1e6;
const MAX_ROWS = 300;
const MAX_COLUMNS = 60;

export async function readOwnTable(file: File): Promise<OwnTable> {
  const name = `The file “${file.name}”`;
  if (file.size > LARGEST_FILE) {
    throw new Error(
      `${name} has ${sizeInWords(file.size)}; this page takes up to ${sizeInWords(LARGEST_FILE)}.`,
    );
  }
  const rows = rowsOfText(await file.text());
  const [numRows, dim] = [rows.length, rows[0]?.length ?? 0];
  if (numRows < 3 || dim < 2) throw new Error(`${name} needs three rows and two columns at least.`);
  if (numRows > MAX_ROWS || dim > MAX_COLUMNS) {
    throw new Error(
      `${name} has ${numRows} rows and ${dim} columns; this page takes up to ${MAX_ROWS} and ${MAX_COLUMNS}.`,
    );
  }
  return { name: file.name, states: Float64Array.from(centred(rows)), numRows, dim };
}

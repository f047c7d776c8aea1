import { count, bytes as sizeInWords } from '../../lib/format.js';
import { rowsOfText } from '../../lib/own-table.js';
import { fileId } from '../../lib/packed-rows.js';
import type { Table } from './settings.js';

/** A table of numbers from a file of the visitor's. */
export interface OwnTable extends Table {
  name: string;
  /** Size and fingerprint, as a link carries them. */
  id: string;
}

const LARGEST_FILE = 1e6;
/** The engine takes no fewer rows and columns. */
const MIN_SIDE = 6;
const MAX_SIDE = 300;
/** A search of so many takes minutes. */
const MAX_ENTRIES = 10_000;

/** Reads a table from a file, or from text that was pasted. */
export async function readOwnTable(file: File): Promise<OwnTable> {
  const name = `The file “${file.name}”`;
  if (file.size > LARGEST_FILE) {
    throw new Error(
      `${name} has ${sizeInWords(file.size)}; this page takes up to ${sizeInWords(LARGEST_FILE)}.`,
    );
  }
  const rows = readRows(await file.text(), name);
  const [numRows, dim] = [rows.length, rows[0]?.length ?? 0];
  const size = `${name} has ${count(numRows)} rows and ${count(dim)} columns`;
  if (Math.min(numRows, dim) < MIN_SIDE) {
    throw new Error(`${size}; a search needs ${MIN_SIDE} or more of each.`);
  }
  if (Math.max(numRows, dim) > MAX_SIDE || numRows * dim > MAX_ENTRIES) {
    throw new Error(
      `${size}; this page takes up to ${MAX_SIDE} of each and ${count(MAX_ENTRIES)} numbers. Take some of the rows, or use the package.`,
    );
  }
  const states = Float64Array.from(rows.flat());
  return {
    name: file.name,
    states,
    dim,
    id: await fileId({ dim, numRows, bits: new Uint8Array(states.buffer) }),
  };
}

function readRows(text: string, name: string) {
  try {
    return rowsOfText(text);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

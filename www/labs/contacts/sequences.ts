import type { Engine } from 'unnorm';
import { packValues, readFasta, unpackValues } from 'unnorm/formats';
import { contactsOf, foldedPotts } from '../../lib/folded-chain.js';
import { count, bytes as sizeInWords } from '../../lib/format.js';
import { fileId, type PackedRows } from '../../lib/packed-rows.js';
import type { Fold } from './folds.js';
import { drawSpec, type Settings } from './settings.js';

/** Aligned sequences. */
export interface Sequences {
  numSites: number;
  numValues: number;
  /** Places of the letters in the alphabet, [numRows, numSites]. */
  values: ArrayLike<number>;
  /** The same as bits, as the engine takes them. */
  rows: PackedRows;
}

/** Sequences from a file of the visitor's. */
export interface OwnSequences extends Sequences {
  name: string;
  /** Size and fingerprint, as a link carries them. */
  id: string;
}

const LARGEST_FILE = 20e6;
const MIN_SITES = 8;
/** More, and a fit takes many minutes and much memory. */
const MAX_SITES = 100;
const MIN_ROWS = 10;
const MAX_ROWS = 20_000;

/** The letters of the sequences that are drawn. */
export const LETTERS = 'ACDEFGHI';

/** The model of a fold that sequences are drawn from, and its contacts. */
export function truthOf(fold: Fold, { letters, strength, seed }: Settings) {
  const places = fold.places.map(([x, y]): [number, number] => [x, y]);
  return { model: foldedPotts(places, letters, strength, seed), contacts: contactsOf(places) };
}

/** Sequences of a fold's model. */
export async function drawn(
  engine: Engine,
  model: ReturnType<typeof foldedPotts>,
  settings: Settings,
): Promise<Sequences> {
  const { draws } = await engine.sample({ model, ...drawSpec(settings) });
  const { numSites, numValues } = model;
  const rows = { dim: draws.dim, numRows: draws.numRows, bits: draws.bits };
  return { numSites, numValues, values: unpackValues(rows, numSites, numValues), rows };
}

/** Reads an alignment of proteins in FASTA. */
export async function readOwn(file: File): Promise<OwnSequences> {
  const name = `The file “${file.name}”`;
  if (file.size > LARGEST_FILE) {
    throw new Error(
      `${name} has ${sizeInWords(file.size)}; this page takes up to ${sizeInWords(LARGEST_FILE)}.`,
    );
  }
  const { values, numSites, numValues, numRows } = readNamed(
    new Uint8Array(await file.arrayBuffer()),
    name,
  );
  const size = `${name} has ${count(numRows)} sequences of ${count(numSites)} sites`;
  if (numSites < MIN_SITES || numSites > MAX_SITES) {
    throw new Error(
      `${size}; this page takes ${MIN_SITES} to ${MAX_SITES} sites. Leave out columns, or use the package.`,
    );
  }
  if (numRows < MIN_ROWS || numRows > MAX_ROWS) {
    throw new Error(`${size}; this page takes ${MIN_ROWS} to ${count(MAX_ROWS)} sequences.`);
  }
  const rows = packValues(values, numSites, numValues);
  return { name: file.name, numSites, numValues, values, rows, id: await fileId(rows) };
}

function readNamed(bytes: Uint8Array, name: string) {
  try {
    const alignment = readFasta(bytes);
    return { ...alignment, numRows: alignment.values.length / alignment.numSites };
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

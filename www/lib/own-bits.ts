import { type DataSpec, type Engine, type ReadData, UnnormError } from 'unnorm';
import { bytes as sizeInWords } from './format.js';
import { fileId } from './packed-rows.js';

/** A file of the visitor's, read and checked. */
export interface OwnBits {
  name: string;
  kind: 'csv' | 'npy';
  rows: ReadData;
  /** Size and fingerprint, as a link carries them. */
  id: string;
}

const LARGEST_FILE = 512e6;
const NPY_MAGIC = '\x93NUMPY';

/** Reads a CSV or NPY file of bits or spins; which of the two it is, its first bytes say. */
export async function readOwnFile(file: File, engine: Engine): Promise<OwnBits> {
  if (file.size === 0) throw new Error(`The file “${file.name}” is empty.`);
  if (file.size > LARGEST_FILE) {
    throw new Error(
      `The file “${file.name}” has ${sizeInWords(file.size)}; this page takes up to ${sizeInWords(LARGEST_FILE)}.`,
    );
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const start = String.fromCharCode(...bytes.subarray(0, NPY_MAGIC.length));
  const data: DataSpec = start === NPY_MAGIC ? { kind: 'npy', bytes } : { kind: 'csv', bytes };
  const rows = await engine.readData(data).catch((error: unknown) => {
    throw error instanceof UnnormError ? aboutFile(error, file.name) : error;
  });
  return {
    name: file.name,
    kind: data.kind,
    rows,
    id: await fileId(rows),
  };
}

/** The error with the file in the place of the field of the spec, which visitors never see. */
function aboutFile(error: UnnormError, name: string): UnnormError {
  const prefix = `${error.field}: `;
  const words = error.message.startsWith(prefix)
    ? error.message.slice(prefix.length)
    : error.message;
  return new UnnormError(error.code, `${name}: ${words}`);
}

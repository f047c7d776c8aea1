/**
 * Errors and limits that all file formats share. Sizes that a file claims are checked before memory
 * is allocated.
 */

import { UnnormError } from '../errors.js';

/** Maximum number of entries of an array read from a file: a gibibyte of float64. */
export const MAX_ENTRIES = 2 ** 27;

/** Maximum number of bytes of a text file: what a JavaScript string can hold, with a margin. */
export const MAX_TEXT_BYTES = 2 ** 28;

/** An error about the bytes of a file. `field` names the argument, 'bytes' by default. */
export function refused(problem: string, field = 'bytes'): UnnormError {
  return new UnnormError('invalid-data', `${field}: ${problem}`, { field });
}

/** The product of sizes that a header claims; throws if it is too large to be read. */
export function countOf(shape: readonly number[], most = MAX_ENTRIES): number {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count <= most && shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    return count;
  }
  throw refused(
    `claims ${shape.join(' × ')} entries, of which at most ${most} can be read; split the file`,
  );
}

/** UTF-8 text without its byte order mark; otherwise an error that says what the bytes are. */
export function textOf(bytes: Uint8Array, wanted: string): string {
  if (startsWith(bytes, '\x93NUMPY')) throw refused(`is a NumPy file, not ${wanted}`);
  if (startsWith(bytes, 'PK\x03\x04')) {
    throw refused(`is a ZIP archive (.npz and .xlsx are too), not ${wanted}`);
  }
  if (startsWith(bytes, '\xff\xfe') || startsWith(bytes, '\xfe\xff')) {
    throw refused('is UTF-16 text; save it as UTF-8');
  }
  if (bytes.length > MAX_TEXT_BYTES) {
    const words = `has ${bytes.length} bytes, of which at most ${MAX_TEXT_BYTES} can be read as text`;
    throw refused(`${words}; save it as .npy, which is smaller too`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused(`is not text but something binary; ${wanted} is needed`);
  }
  if (text.includes('\0')) throw refused(`is not text but something binary; ${wanted} is needed`);
  return text;
}

/** Whether bytes begin with `start`, given as Latin-1 characters. */
export function startsWith(bytes: Uint8Array, start: string): boolean {
  for (let n = 0; n < start.length; n++) if (bytes[n] !== start.charCodeAt(n)) return false;
  return true;
}

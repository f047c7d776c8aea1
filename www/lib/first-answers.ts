/**
 * What a lab shows at first, before its engine and its large files are here: answers that the very same package gave to
 * the very same questions, in the lab's `first-answers.json`. `node src/tools/first-answers.mjs` writes these files. A
 * question that is not among them is for the engine.
 */
import type { Engine } from 'unnorm';
import type { GreyPicture } from '../patches/decode.js';

/** A question that a lab has at first, and how its answer is found. The answer is plain data with typed arrays. */
export interface FirstQuestion {
  question: unknown;
  find: (engine: Engine, files: DataFiles) => Promise<unknown>;
}

/** What answers are found from, besides the engine: the data of the site. */
export interface DataFiles {
  bytes: (name: string) => Promise<Uint8Array<ArrayBuffer>>;
  photograph: (name: string) => Promise<GreyPicture>;
}

/** A question with its answer, as the file has them. */
export interface KeptAnswer {
  question: unknown;
  answer: unknown;
}

/** The answer to a question, if it is among those kept. */
export function keptAnswer<T>(kept: readonly KeptAnswer[], question: unknown): T | undefined {
  const asked = JSON.stringify(question);
  const found = kept.find((one) => JSON.stringify(one.question) === asked);
  return found && (unpacked(found.answer) as T);
}

/**
 * Plain data with typed arrays as JSON has them: an array is its kind and its bytes. Those that repeat themselves are in
 * hexadecimal digits, which hosts compress further than base64.
 */
export function packed(value: unknown): unknown {
  if (value instanceof Float64Array) return { float64: base64Of(value) };
  if (value instanceof Uint16Array) return { uint16: base64Of(value) };
  if (value instanceof Uint8Array) return { uint8: hexOf(value) };
  return overEntries(value, packed);
}

function unpacked(value: unknown): unknown {
  const { float64, uint16, uint8 } = Object(value) as Record<string, string | undefined>;
  if (float64 !== undefined) return new Float64Array(bytesOf(float64).buffer);
  if (uint16 !== undefined) return new Uint16Array(bytesOf(uint16).buffer);
  if (uint8 !== undefined) return bytesOfHex(uint8);
  return overEntries(value, unpacked);
}

function overEntries(value: unknown, change: (entry: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, change(entry)]));
}

function base64Of({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, n) =>
    Number.parseInt(hex.slice(2 * n, 2 * n + 2), 16),
  );
}

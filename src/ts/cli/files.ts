/**
 * Files, standard input and standard output.
 */

import { randomBytes } from 'node:crypto';
import { access, constants, open, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../errors.js';
import { joined } from '../formats/bytes.js';
import { EXIT, Failure } from './failure.js';

/** Maximum number of bytes read from one file. */
const MAX_BYTES = 2 ** 31 - 1;
const TOO_LARGE = `has more than ${MAX_BYTES} bytes; split it`;

/** The name of standard input and output among arguments. */
export const STANDARD = '-';

/** A path for messages. */
export function nameOf(path: string): string {
  return path === STANDARD ? 'standard input' : path;
}

/** All bytes of a file or of standard input, unless there are too many. */
export async function readBytes(path: string): Promise<Uint8Array> {
  if (path === STANDARD) return readStandardInput();
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path);
  } catch (error) {
    throw new Failure(`${path}: ${reasonOf(error)}`);
  }
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new Failure(`${path}: is a folder; name a file in it`);
    if (stats.size > MAX_BYTES) throw new Failure(`${path}: ${TOO_LARGE}`);
    return new Uint8Array(await file.readFile());
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${path}: ${reasonOf(error)}`);
  } finally {
    await file.close();
  }
}

async function readStandardInput(): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of process.stdin) {
    length += (piece as Uint8Array).length;
    if (length > MAX_BYTES) throw new Failure(`standard input: ${TOO_LARGE}`);
    pieces.push(piece as Uint8Array);
  }
  return joined(pieces);
}

/** Refuses a file that cannot be written, before the work rather than after it. */
export async function checkWritable(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) throw new Failure(`${path}: is a folder; name a file in it`);
  try {
    await access(stats ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw new Failure(`${path}: cannot be written: ${reasonOf(error)}`);
  }
}

/** Writes a file completely or not at all, or to standard output. */
export async function writeBytes(path: string, bytes: Uint8Array): Promise<void> {
  if (path === STANDARD) return writeOut(bytes);
  const stats = await stat(path).catch(() => undefined);
  try {
    // A device or a pipe is written directly; a file is replaced once everything is written.
    if (stats && !stats.isFile()) return await writeFile(path, bytes);
    const part = `${path}.${randomBytes(4).toString('hex')}.part`;
    try {
      await writeFile(part, bytes);
      await rename(part, path);
    } catch (error) {
      await unlink(part).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw new Failure(`${path}: could not be written: ${reasonOf(error)}`, EXIT.failed);
  }
}

/** Writes to standard output and waits until it is flushed. */
export function writeOut(content: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(content, (error) => (error ? reject(error) : resolve()));
  });
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission is denied';
    case 'ENOSPC':
      return 'no space is left';
    case 'ENOTDIR':
      return 'a part of the path is no folder';
    case 'EISDIR':
      return 'is a folder; name a file in it';
    default:
      return messageOf(error);
  }
}

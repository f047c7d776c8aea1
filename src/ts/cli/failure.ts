/**
 * What ends the command with a sentence and an exit status.
 */

import { messageOf, UnnormError } from '../errors.js';

/** Exit statuses, as `unnorm help` states them. */
export const EXIT = {
  done: 0,
  /** The work failed, or a claim of a reproduction does not hold. */
  failed: 1,
  /** Something about the arguments, the spec or a file is wrong. */
  usage: 2,
  /** Stopped by Ctrl-C; 128 and the number of the signal, as shells have it. */
  interrupted: 130,
  /** Stopped by SIGTERM. */
  terminated: 143,
} as const;

/** An end in a sentence meant for the person at the terminal. */
export class Failure extends Error {
  readonly status: number;

  constructor(sentence: string, status: number = EXIT.usage) {
    super(sentence);
    this.status = status;
  }
}

/** Not the caller's fault: everything else is. */
const FAILED = new Set(['worker-crashed', 'wasm-unavailable', 'unsupported', 'closed']);

/** Any thrown value as a failure. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof UnnormError) {
    return new Failure(error.message, FAILED.has(error.code) ? EXIT.failed : EXIT.usage);
  }
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS')) {
    return new Failure(messageOf(error).split('. ')[0] as string);
  }
  return new Failure(`something went wrong that should not: ${messageOf(error)}`, EXIT.failed);
}

/** Runs `read` and says `name` where an error says 'bytes' or another of `fields`. */
export async function naming<T>(name: string, fields: string[], read: () => T | Promise<T>) {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnnormError) || error.field === undefined) throw error;
    const field = fields.find((field) => error.message.startsWith(field));
    if (field === undefined) throw error;
    const rest = error.message.slice(field.length);
    throw new Failure(rest.startsWith(': ') ? `${name}${rest}` : `${name}: ${error.message}`);
  }
}

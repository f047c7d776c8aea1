/** Failures that end the command with a sentence and an exit status. */

import { messageOf, UnnormError } from '../errors.js';

/** Exit statuses, as `unnorm help` states them. */
export const EXIT = {
  done: 0,
  /** The work failed, or a claim of a reproduction does not hold. */
  failed: 1,
  /** Something about the arguments, the spec or a file is wrong. */
  usage: 2,
  /** Stopped by Ctrl-C; 128 plus the number of the signal, as in shells. */
  interrupted: 130,
  /** Stopped by SIGTERM. */
  terminated: 143,
} as const;

/** A failure with a sentence for the user. */
export class Failure extends Error {
  readonly status: number;

  constructor(sentence: string, status: number = EXIT.usage) {
    super(sentence);
    this.status = status;
  }
}

/** Errors that are not the caller's fault; all others are. */
const FAILED = new Set(['worker-crashed', 'wasm-unavailable', 'unsupported', 'closed']);

/** Converts any thrown value to a failure. */
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

/** Runs `read` and replaces 'bytes', or another of `fields`, in errors by `name`. */
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

/**
 * The one error class of the package, and its form on the wire between threads.
 */

/** What went wrong, stable across versions. */
export type UnnormErrorCode = keyof typeof CODES;

const CODES = {
  /** The spec is malformed or contradictory; `field` says where. */
  'invalid-spec': true,
  /**
   * The data are invalid: they must be rows of 0 and 1 or of −1 and 1, at least one, all of the
   * same length.
   */
  'invalid-data': true,
  /**
   * A custom model's module cannot be loaded, or its function fails or returns invalid energies.
   */
  'invalid-model': true,
  /** The model does not support the request. */
  'missing-capability': true,
  /** The request needs more memory or time than is allowed. */
  'too-large': true,
  /** The bytes given as `resumeFrom` are not a checkpoint, or are damaged. */
  'bad-checkpoint': true,
  /** The checkpoint belongs to another spec or to other data. */
  'checkpoint-mismatch': true,
  /**
   * The job, or the start of the engine, was cancelled. `checkpoint` is the job's last state, if it
   * had started.
   */
  aborted: true,
  /** The engine was closed. */
  closed: true,
  /**
   * The job's worker crashed or was silent, was replaced, and failed again in the same way.
   * `checkpoint` is the job's last, if it had one.
   */
  'worker-crashed': true,
  /**
   * The worker or the WebAssembly file could not be loaded. `checkpoint` is that of a job whose
   * worker was to be replaced, if it had one.
   */
  'wasm-unavailable': true,
  /** This browser or page cannot run the request. */
  unsupported: true,
};

/** What {@link UnnormError} may carry besides its code and message. */
export interface UnnormErrorDetails {
  field?: string | undefined;
  checkpoint?: Uint8Array | undefined;
  cause?: unknown;
}

/** Every failure of the package: a stable `code`, and a sentence for the user. */
export class UnnormError extends Error {
  override readonly name = 'UnnormError';
  /** What went wrong; see {@link UnnormErrorCode}. */
  readonly code: UnnormErrorCode;
  /** The path of the invalid field in the spec, such as `model.couplings`. */
  declare readonly field?: string;
  /** Pass it as `resumeFrom` to continue from where the job stopped. */
  declare readonly checkpoint?: Uint8Array;

  constructor(code: UnnormErrorCode, message: string, details: UnnormErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    if (details.field !== undefined) this.field = details.field;
    if (details.checkpoint !== undefined) this.checkpoint = details.checkpoint;
  }
}

/** An error as plain data: what Rust throws and workers post. */
export interface WireError {
  code: string;
  message: string;
  field?: string | undefined;
}

/** Whether `error` is a refusal by the Rust core, as opposed to a crash. */
export function isRefusal(error: unknown): error is WireError {
  return (
    typeof error === 'object' &&
    error !== null &&
    Object.hasOwn(CODES, (error as WireError).code) &&
    typeof (error as WireError).message === 'string'
  );
}

/** Copies the fields that cross the thread boundary. */
export function toWire(error: WireError): WireError {
  return { code: error.code, message: error.message, field: error.field };
}

/**
 * The caller's error for one that was posted. Wasm calls the data `data`; `dataField` is their path
 * in the caller's spec.
 */
export function fromWire({ code, message, field }: WireError, dataField: string): UnnormError {
  const place = (words: string) => words.replace(/^data\b/, dataField);
  const details = { field: field && place(field) };
  return new UnnormError(code as UnnormErrorCode, place(message), details);
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

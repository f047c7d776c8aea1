/** The verbs that run as jobs, one line each. */

/** The place of rows of zeros and ones in a spec. */
interface Rows {
  /** The path of the field. */
  field: string;
  /** Whether a job requires them. */
  required?: boolean;
}

export const VERBS = {
  fit: { field: 'data' },
  sample: { field: 'start.data' },
  logZ: { field: 'data' },
  spline: { field: 'data' },
  exact: { field: 'data' },
  energies: undefined,
  memorize: { field: 'patterns', required: true },
  recall: { field: 'cues', required: true },
  patches: undefined,
  evidence: undefined,
  chain: undefined,
  mode: undefined,
  network: { field: 'data', required: true },
  kernels: undefined,
  structure: undefined,
} as const satisfies Record<string, Rows | undefined>;

/** A verb that runs as a job. */
export type Verb = keyof typeof VERBS;

export const verbNames = Object.keys(VERBS) as Verb[];

/** The place of rows of zeros and ones in the spec of a verb, if it takes any. */
export const rowsOf = (verb: Verb): Rows | undefined => VERBS[verb];

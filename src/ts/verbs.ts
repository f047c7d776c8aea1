/**
 * The verbs that run as jobs: one line each.
 */

/** Where a spec has rows of zeros and ones. */
interface Rows {
  /** The field, with a dot where it is one of an object. */
  field: string;
  /** Whether a job cannot do without. */
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
} as const satisfies Record<string, Rows | undefined>;

/** A verb that runs as a job. */
export type Verb = keyof typeof VERBS;

export const verbNames = Object.keys(VERBS) as Verb[];

/** Where the spec of a verb has rows of zeros and ones, if anywhere. */
export const rowsOf = (verb: Verb): Rows | undefined => VERBS[verb];

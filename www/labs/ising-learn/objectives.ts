import type { FitSpec } from 'unnorm';

export const COMPARED_IDS = [
  'flow',
  'flowAll',
  'pseudolikelihood',
  'contrastive',
  'persistentFlow',
  'likelihood',
] as const;
export type ComparedId = (typeof COMPARED_IDS)[number];

/** An objective that takes part in the comparison. */
export interface ComparedObjective {
  name: string;
  colour: `--${string}`;
  objective: NonNullable<FitSpec['objective']>;
  /** Whether it is minimized by L-BFGS with the lab's settings; else with what is usual for it. */
  byLbfgs: boolean;
}

export const COMPARED: Record<ComparedId, ComparedObjective> = {
  flow: {
    name: 'Flow, single flips',
    colour: '--series-1',
    objective: { kind: 'mpf', connectivity: { kind: 'singleFlips' } },
    byLbfgs: true,
  },
  flowAll: {
    name: 'Flow, also all flipped',
    colour: '--series-6',
    objective: { kind: 'mpf', connectivity: { kind: 'singleAndAllFlips' } },
    byLbfgs: true,
  },
  pseudolikelihood: {
    name: 'Pseudolikelihood',
    colour: '--series-2',
    objective: { kind: 'pseudolikelihood' },
    byLbfgs: true,
  },
  contrastive: {
    name: 'Contrastive divergence',
    colour: '--series-4',
    objective: { kind: 'contrastiveDivergence' },
    byLbfgs: false,
  },
  persistentFlow: {
    name: 'Persistent flow',
    colour: '--series-5',
    objective: { kind: 'persistentMpf' },
    byLbfgs: false,
  },
  likelihood: {
    name: 'Maximum likelihood',
    colour: '--series-3',
    objective: { kind: 'maximumLikelihood' },
    byLbfgs: true,
  },
};

/** Units up to which the likelihood can be maximized. */
export const MOST_UNITS = 20;

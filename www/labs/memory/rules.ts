import type { MemorizeSpec, RuleSpec } from 'unnorm';
import { t } from '../../lib/language.js';
import type { Settings } from './settings.js';

/** The rules, as the engine calls them, and as people do. */
export const RULES = [
  {
    id: 'mpf',
    name: t('Minimum probability flow'),
    short: 'flow',
    colour: '--series-1',
    note: t(
      'Lowers the flow of probability out of the pictures, until each lies below all its neighbours.',
    ),
  },
  {
    id: 'perceptron',
    name: t('Perceptron'),
    short: 'perceptron',
    colour: '--series-2',
    note: t('Corrects the bits that would change, picture after picture, until none would.'),
  },
  {
    id: 'storkey',
    name: t('Storkey'),
    short: t('Storkey'),
    colour: '--series-4',
    note: t('Adds up the pictures’ outer products, less what the network knows already.'),
  },
  {
    id: 'outerProduct',
    name: t('Outer product'),
    short: t('outer product'),
    colour: '--series-5',
    note: t('Hopfield’s own rule: adds up the pictures’ outer products.'),
  },
] as const;

export type RuleId = (typeof RULES)[number]['id'];

export const RULE_IDS = ['mpf', 'perceptron', 'storkey', 'outerProduct'] as const;

export function ruleOf(id: RuleId): (typeof RULES)[number] {
  return RULES.find((rule) => rule.id === id) ?? RULES[0];
}

/** Units up to which flow is minimized over all pictures at once; beyond, its curvatures would not fit into memory. */
const MAX_AT_ONCE = 1024;

/** Passes of flow over minibatches: corrupted copies are worth many, the pictures themselves in a large network few. */
const NUM_EPOCHS = { corrupted: 40, plain: 20 };

/** The job that stores pictures of so many pixels, without them. */
export function memorizeSpec(
  { rule, corrupted, copies, seed }: Settings,
  dim: number,
): Omit<MemorizeSpec, 'patterns'> {
  return {
    model: { kind: 'ising', dim },
    rule: ruleSpec(rule, dim, corrupted > 0),
    ...(corrupted > 0 && { noise: { numFlips: flipsOf(corrupted, dim), numCopies: copies } }),
    seed,
  };
}

/** So many percent of the pixels. */
export function flipsOf(percent: number, dim: number): number {
  return Math.round((percent / 100) * dim);
}

function ruleSpec(rule: RuleId, dim: number, isCorrupted: boolean): RuleSpec {
  if (rule === 'perceptron' && isCorrupted) return { kind: 'perceptron', maxEpochs: 10 };
  if (rule !== 'mpf') return { kind: rule };
  if (!isCorrupted && dim <= MAX_AT_ONCE) return { kind: 'mpf' };
  const numEpochs = isCorrupted ? NUM_EPOCHS.corrupted : NUM_EPOCHS.plain;
  return { kind: 'mpf', optimizer: { kind: 'sgd', numEpochs } };
}

import { MAX_TRAINING_ROWS } from '../../lib/digits.js';
import { choice, integer, real, text, type ValuesOf } from '../../lib/fields.js';
import { METHOD_IDS, methodOf } from './methods.js';

export const MIN_ROWS = 200;

/** The state of the lab that a link carries. The number of workers is left out: it changes no bit of the result. */
export const fields = {
  method: choice('pcd', METHOD_IDS),
  /** How many hidden units. */
  numHidden: choice('100', ['16', '25', '100', '400']),
  /** How many of the training digits to learn from. */
  rows: integer(MAX_TRAINING_ROWS, MIN_ROWS, MAX_TRAINING_ROWS),
  /** Passes over them. */
  numEpochs: integer(30, 1, 10_000),
  /** The learning rate at the first update; it falls to a twentieth. */
  rate: real(0.1, 1e-6, 10),
  /** Gibbs steps of the chains an update. */
  numSteps: integer(1, 1, 100),
  /** Strength of the penalty on the squared weights. */
  penalty: real(0.0001, 0, 10),
  /** Standard deviation of the parameters' noise to start from. */
  noise: real(0.01, 0, 1),
  seed: integer(1, 0, Number.MAX_SAFE_INTEGER),
  /** Where the chains of the samples start. */
  start: choice('noise', ['noise', 'digits']),
  /** Rungs of the ladders that are held against chains alone. */
  rungs: integer(16, 4, 32),
  /** What is shown of the samples: their pixels' probabilities, or the pixels drawn. */
  view: choice('probabilities', ['probabilities', 'pixels']),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The settings with those left at their usual values that make no difference, so that equal jobs have equal links. */
export function withoutIdle(settings: Settings): Settings {
  const { hasChains } = methodOf(settings.method);
  return hasChains ? settings : { ...settings, numSteps: fields.numSteps.initial };
}

/** Those alone that the result of the fit depends on. */
export function ofTheFit(settings: Settings): Settings {
  const { start, rungs, view } = fields;
  const besides = { start: start.initial, rungs: rungs.initial, view: view.initial, digest: '' };
  return { ...withoutIdle(settings), ...besides };
}

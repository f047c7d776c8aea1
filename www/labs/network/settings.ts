import { choice, type Field, integer, real, text, type ValuesOf } from '../../lib/fields.js';
import { FILE_ID } from '../../lib/packed-rows.js';
import { EXAMPLE_IDS } from './examples.js';

export const OBJECTIVES = {
  pseudolikelihood: {
    name: 'Pseudolikelihood',
    about:
      'How probable every answer is given all others (Besag 1975): logistic regressions that share their couplings.',
  },
  mpf: {
    name: 'Minimum probability flow',
    about:
      'How fast probability would flow from the rows to those one answer away (Sohl-Dickstein 2011).',
  },
} as const;

export const CHOICES = {
  ebic: {
    name: 'Extended BIC',
    about:
      'A price for every edge, and more of them where there are more pairs (Foygel and Drton 2010). IsingFit takes γ = 0.25.',
  },
  crossValidation: {
    name: 'Cross-validation',
    about: 'What foretells held-out rows best, in ten folds. It keeps more edges than there are.',
  },
  stability: {
    name: 'Stability',
    about:
      'Edges found in three quarters of a hundred fits to halves of the rows, at penalties that let few in (Meinshausen and Bühlmann 2010).',
  },
} as const;

export type Objective = keyof typeof OBJECTIVES;
export type Choice = keyof typeof CHOICES;

export const BOOTSTRAPS = [0, 100, 200, 500, 1000] as const;
/** Percentiles of fewer fits are closer to one another than they should be. */
export const ENOUGH_FITS = 200;
/** Fewer give no percentiles. */
const LEAST_FITS = 10;
const MOST_FITS = 2000;
export const MAX_ROWS = 20_000;

/** The state of the lab that a link carries. */
export const fields = {
  data: choice('sparse', [...EXAMPLE_IDS, 'own']),
  objective: choice('pseudolikelihood', Object.keys(OBJECTIVES) as Objective[]),
  choice: choice('ebic', Object.keys(CHOICES) as Choice[]),
  gamma: real(0.25, 0, 1),
  /** The number of false edges that stability may expect. */
  falseEdges: real(5, 0.1, 1000),
  rows: integer(1000, 100, MAX_ROWS),
  /** Fits to resampled rows. */
  bootstrap: {
    initial: 200,
    expects: `0, or a whole number from ${LEAST_FITS} to ${MOST_FITS}`,
    parse: (given) => (given === '0' ? 0 : integer(0, LEAST_FITS, MOST_FITS).parse(given)),
    print: String,
  } satisfies Field<number> as Field<number>,
  seed: integer(1, 0, 2 ** 53 - 1),
  /** The place on the path that is looked at; empty for the one that was chosen. */
  penalty: text(/^\d{1,3}$/, 'the number of a penalty'),
  /** The least share of the fits, in %, that an edge has to be found in to be shown. */
  share: integer(0, 0, 100),
  /** Rows, columns and fingerprint of the visitor's file. */
  file: text(FILE_ID, 'the size and the fingerprint of a file'),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The settings that the result depends on, with all others as they are at first. */
export function settingsOfResult(settings: Settings): Settings {
  return {
    ...settings,
    penalty: fields.penalty.initial,
    share: fields.share.initial,
    digest: '',
    // What is not asked for changes nothing.
    ...(settings.choice !== 'ebic' && { gamma: fields.gamma.initial }),
    ...(settings.choice !== 'stability' && { falseEdges: fields.falseEdges.initial }),
    ...(settings.data === 'own' && { rows: fields.rows.initial }),
  };
}

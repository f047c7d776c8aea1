import airlineUrl from '../../data/airline.csv?url&no-inline';
import co2Url from '../../data/co2-monthly.csv?url&no-inline';
import { smoothAndNoise, trendAndSeason, whiteNoise } from '../../lib/time-series.js';

/** What the times of a series are counted in. */
export interface TimeUnit {
  one: string;
  many: string;
}

/** A series that the lab brings along. */
export interface Source {
  name: string;
  about: string;
  /** What the values are, with their unit. */
  valueName: string;
  unit: TimeUnit;
  /** Number of neighbouring values of which means are searched at first. */
  meansOver: number;
  /** Where a CSV file of times and values is. */
  url?: string;
  /** Of one that is made up. */
  made?: {
    /** The name of the function that makes it. */
    by: string;
    make: (seed: number) => { times: number[]; values: number[] };
    /** The kernel that explains it, if there is one. */
    kernel: string;
    /** Standard deviation of the noise. */
    noise: number;
  };
}

export const YEARS: TimeUnit = { one: 'year', many: 'years' };
const MONTHS: TimeUnit = { one: 'month', many: 'months' };
/** Of values that are numbered. */
export const STEPS: TimeUnit = { one: 'step', many: 'steps' };
/** Of times of which nothing is known. */
export const UNITS: TimeUnit = { one: 'unit', many: 'units' };

export const SOURCES = {
  airline: {
    name: 'Airline passengers',
    about:
      'International airline passengers by month, 1949 to 1960 (Box and Jenkins 1976, series G; the file is from sktime, BSD-3-Clause).',
    valueName: 'thousands of passengers',
    unit: YEARS,
    meansOver: 1,
    url: airlineUrl,
  },
  co2: {
    name: 'Carbon dioxide',
    about:
      'Carbon dioxide in the air at Mauna Loa, 1958 to 2001 (Keeling and Whorf 2004; public domain, from statsmodels). By month; at first, means of three months.',
    valueName: 'parts per million',
    unit: YEARS,
    meansOver: 3,
    url: co2Url,
  },
  season: {
    name: 'Trend and season',
    about: 'Made up: a line, a season of twelve months, and noise of standard deviation 0.8.',
    valueName: 'values',
    unit: MONTHS,
    meansOver: 1,
    made: { by: 'trendAndSeason', make: trendAndSeason, kernel: 'PER + LIN', noise: 0.8 },
  },
  smooth: {
    name: 'Smooth and noise',
    about:
      'Made up: a draw of a Gaussian process with the kernel SE, ℓ = 4, and noise of standard deviation 0.3.',
    valueName: 'values',
    unit: STEPS,
    meansOver: 1,
    made: { by: 'smoothAndNoise', make: smoothAndNoise, kernel: 'SE', noise: 0.3 },
  },
  noise: {
    name: 'White noise',
    about: 'Made up: independent normal numbers. There is nothing to find, and the search says so.',
    valueName: 'values',
    unit: STEPS,
    meansOver: 1,
    made: { by: 'whiteNoise', make: whiteNoise, kernel: '', noise: 1 },
  },
} as const satisfies Record<string, Source>;

export type SourceId = keyof typeof SOURCES;
export const SOURCE_IDS = Object.keys(SOURCES) as SourceId[];

export function sourceOf(data: SourceId | 'own'): Source | undefined {
  return data === 'own' ? undefined : SOURCES[data];
}

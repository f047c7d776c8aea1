import animalsUrl from '../../data/animals.csv?url&no-inline';
import senateUrl from '../../data/senate.csv?url&no-inline';
import walkingUrl from '../../data/walking.csv?url&no-inline';
import { withMeansForZeros } from '../../lib/own-table.js';
import {
  clusteredRows,
  coClustered,
  lowRank,
  noiseAlone,
  randomWalks,
} from '../../lib/structured-tables.js';
import type { Table } from './settings.js';

/** A table that the lab makes up or brings along. */
export interface Source {
  name: string;
  about: string;
  standardize: 'whole' | 'columns';
  /** Of one that is made up. */
  made?: {
    /** The name of the function that makes it. */
    by: string;
    make: (noise: number, seed: number) => Table;
    /** The structures that describe it; the first one is that which it is made with. */
    truths: readonly string[];
  };
  /** Of one of the world. */
  file?: {
    /** Where a CSV file is. */
    url: string;
    /** How many of its columns there are for each that is taken. */
    every: number;
    /** Whether 0 stands for an entry that is not known. */
    hasGaps: boolean;
  };
}

/** Tables that are made up. */
export const MADE = {
  coClusters: {
    name: 'Co-clusters',
    about: 'Made up: four clusters of rows, four of columns, and a number for each pair of them.',
    standardize: 'whole',
    made: { by: 'coClustered', make: coClustered, truths: ['M(GMᵀ + G) + G', '(MG + G)Mᵀ + G'] },
  },
  clusters: {
    name: 'Clusters of rows',
    about: 'Made up: five kinds of row.',
    standardize: 'whole',
    made: { by: 'clusteredRows', make: clusteredRows, truths: ['MG + G'] },
  },
  lowRank: {
    name: 'Low rank',
    about: 'Made up: every row is a mixture of the same two.',
    standardize: 'whole',
    made: { by: 'lowRank', make: lowRank, truths: ['GG + G'] },
  },
  walks: {
    name: 'Random walks',
    about: 'Made up: each column is a random walk, the rows are its times.',
    standardize: 'whole',
    made: { by: 'randomWalks', make: randomWalks, truths: ['CG + G'] },
  },
  noise: {
    name: 'Noise alone',
    about: 'Made up: independent normal numbers. There is nothing to find.',
    standardize: 'whole',
    made: { by: 'noiseAlone', make: noiseAlone, truths: ['G'] },
  },
} as const satisfies Record<string, Source>;

export const SOURCES = {
  ...MADE,
  animals: {
    name: 'Animals',
    about:
      'Traits of 101 animals, from hair to legs (Forsyth 1990, the zoo of the UCI repository, CC BY 4.0; the file is from Orange).',
    standardize: 'columns',
    file: { url: animalsUrl, every: 1, hasGaps: false },
  },
  walking: {
    name: 'Walking',
    about:
      'Ten walks with a watch: accelerations and rotation rates, ten times a second for ten seconds (BasicMotions, from sktime, BSD-3-Clause).',
    standardize: 'columns',
    file: { url: walkingUrl, every: 2, hasGaps: false },
  },
  senate: {
    name: 'Senate',
    about:
      'How 102 senators voted in the 106th Senate of the United States, 1999 to 2000: every 14th of 672 roll calls, a public record. Who was absent counts as the mean.',
    standardize: 'whole',
    file: { url: senateUrl, every: 14, hasGaps: true },
  },
} as const satisfies Record<string, Source>;

export type SourceId = keyof typeof SOURCES;
export const SOURCE_IDS = Object.keys(SOURCES) as SourceId[];

export function sourceOf(data: SourceId | 'own'): Source | undefined {
  return data === 'own' ? undefined : SOURCES[data];
}

/** The rows of a file that are searched. */
export function rowsTaken(rows: number[][], { every, hasGaps }: NonNullable<Source['file']>) {
  const taken = rows.map((row) => row.filter((_, column) => column % every === 0));
  return hasGaps ? withMeansForZeros(taken) : taken;
}

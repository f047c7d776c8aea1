import {
  clusteredRows,
  coClustered,
  lowRank,
  noiseAlone,
  randomWalks,
} from '../../lib/structured-tables.js';
import type { Table } from './settings.js';

/** A table that the lab makes up. */
export interface Source {
  name: string;
  about: string;
  /** The name of the function that makes it. */
  by: string;
  make: (noise: number, seed: number) => Table;
  /** The structures that describe it; the first one is that which it is made with. */
  truths: readonly string[];
}

export const SOURCES = {
  coClusters: {
    name: 'Co-clusters',
    about: 'Made up: four clusters of rows, four of columns, and a number for each pair of them.',
    by: 'coClustered',
    make: coClustered,
    truths: ['M(GMᵀ + G) + G', '(MG + G)Mᵀ + G'],
  },
  clusters: {
    name: 'Clusters of rows',
    about: 'Made up: five kinds of row.',
    by: 'clusteredRows',
    make: clusteredRows,
    truths: ['MG + G'],
  },
  lowRank: {
    name: 'Low rank',
    about: 'Made up: every row is a mixture of the same two.',
    by: 'lowRank',
    make: lowRank,
    truths: ['GG + G'],
  },
  walks: {
    name: 'Random walks',
    about: 'Made up: each column is a random walk, the rows are its times.',
    by: 'randomWalks',
    make: randomWalks,
    truths: ['CG + G'],
  },
  noise: {
    name: 'Noise alone',
    about: 'Made up: independent normal numbers. There is nothing to find.',
    by: 'noiseAlone',
    make: noiseAlone,
    truths: ['G'],
  },
} as const satisfies Record<string, Source>;

export type SourceId = keyof typeof SOURCES;
export const SOURCE_IDS = Object.keys(SOURCES) as SourceId[];

export function sourceOf(data: SourceId | 'own'): Source | undefined {
  return data === 'own' ? undefined : SOURCES[data];
}

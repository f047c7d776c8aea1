import { hilbert, serpentine } from '../../lib/folded-chain.js';

/** A chain on a grid, from whose model sequences are drawn. */
export interface Fold {
  name: string;
  about: string;
  /** The lines of code that give its grid points, and the functions in it. */
  code: string;
  functions: readonly string[];
  places: readonly (readonly [x: number, y: number])[];
}

export const FOLDS = {
  hairpin: {
    name: 'Hairpin',
    about: 'Made up: 24 sites, two strands side by side.',
    code: 'serpentine(2, 12)',
    functions: ['serpentine'],
    places: serpentine(2, 12),
  },
  meander: {
    name: 'Meander',
    about: 'Made up: 36 sites, six strands side by side.',
    code: 'serpentine(6, 6)',
    functions: ['serpentine'],
    places: serpentine(6, 6),
  },
  globule: {
    name: 'Globule',
    about:
      'Made up: 64 sites along a Hilbert curve, so that contacts are near along the chain, and far.',
    code: 'hilbert(3)',
    functions: ['hilbert'],
    places: hilbert(3),
  },
} as const satisfies Record<string, Fold>;

export type FoldId = keyof typeof FOLDS;
export const FOLD_IDS = Object.keys(FOLDS) as FoldId[];

export function foldOf(data: FoldId | 'own'): Fold | undefined {
  return data === 'own' ? undefined : FOLDS[data];
}

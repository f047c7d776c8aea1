import type { ExactResult } from 'unnorm';
import { decimal } from '../../lib/format.js';
import { checkOf, type Level } from './level.js';

/** From … to …, with so many decimals as the length calls for. */
export function span({ lower, upper }: { lower: number; upper: number }): string {
  const decimals = decimalsFor((upper - lower) / 4);
  return `${decimal(lower, decimals)} to ${decimal(upper, decimals)}`;
}

/** What the self-check says of a level, in a word or two. */
export function verdictOf(level: Level, exact: number | undefined): string {
  const check = checkOf(level, exact);
  if (!check) return 'not known';
  return check.inInterval ? 'inside' : 'outside';
}

function decimalsFor(error: number): number {
  if (!(error > 0)) return 3;
  return Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(error))));
}

/** How the exact value was had, in a few words. */
export const METHODS: Record<ExactResult['method'], string> = {
  closedForm: 'by a formula',
  quadrature: 'by an integral',
  enumeration: 'by adding up all states',
  smallerSide: 'by adding up all states of the smaller side',
  hiddenStates: 'by adding up all hidden states',
  kaufman: 'by Kaufman’s formula',
  frontier: 'by summing out site after site',
};

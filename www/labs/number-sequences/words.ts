import { count, decimal, real } from '../../lib/format.js';
import { bitsOf, type Explanation, expressionText } from '../../lib/number-sequences.js';
import type { NumberSequences } from './number-sequences.svelte.js';

/** An expression as it is written: cumsum(square(R)). */
export function textOf({ productions, residues }: Explanation): string {
  return expressionText(productions, residues[0]?.length ?? 0);
}

/** Bits with one decimal: 46.8 bits. */
export function bitsText(bits: number): string {
  return `${decimal(bits, 1)} bits`;
}

/** How much more probable one explanation is than another: 3.07, 32,130 or 2.03 × 10¹¹. */
export function timesText(after: Explanation, before: Explanation): string {
  const ratio = after.score / before.score;
  return ratio < 1000 || ratio >= 1e6 ? real(ratio, 3) : count(ratio);
}

/** What comes next, in a sentence. */
export function nextText({ next, range }: NumberSequences): string {
  if (!range) return (next[0] ?? []).map(count).join(', ');
  return `${count(range.low)} to ${count(range.high)}`;
}

/** What the picture shows, for those who cannot see it. */
export function chainText({ shown, isWhole }: NumberSequences): string {
  const lines = shown.map((explanation, n) => {
    const bits = bitsText(bitsOf(explanation.score));
    if (n === 0) return `The numbers ${explanation.residues[0]?.join(', ')}: ${bits}.`;
    const production = explanation.productions.at(-1);
    if (production === '1:N') return `They count from 1, so nothing is left: ${bits}.`;
    return `${production} of ${explanation.residues.at(-1)?.join(', ')}: ${bits}.`;
  });
  return [...lines, isWhole ? '' : 'The last numbers are R, not explained.'].join(' ').trim();
}

import { percent, sentence } from '../../lib/format.js';
import type { Contacts } from './contacts.svelte.js';
import { numRight } from './ranking.js';

/** What was found, in sentences made from the numbers. */
export function findingsOf(lab: Contacts): string[] {
  const { result, couplings, information, truth } = lab;
  if (!result) return [];
  const [strongest] = couplings.told;
  const numTold = couplings.told.length;
  const found = [
    ...(strongest
      ? [`the strongest pair is that of sites ${strongest.i + 1} and ${strongest.j + 1}`]
      : []),
  ];
  if (truth) {
    const [right, other] = [numRight(couplings), numRight(information)];
    found.push(
      `of the ${numTold} pairs with the strongest couplings ${right} are contacts, ${percent(right / numTold)}`,
      `of as many pairs with the most mutual information ${other} are, ${percent(other / numTold)}`,
    );
    if (right > other)
      found.push(
        'looking at all pairs at once has paid: mutual information takes some that only go together for contacts',
      );
    else if (right < other)
      found.push(
        'here mutual information does better: with so few sequences the couplings of all pairs are not well known',
      );
  }
  if (!result.converged) found.push('the fit ended before it had converged');
  return [...found, ...result.warnings].map(sentence);
}

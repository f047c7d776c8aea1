import { real } from '../../lib/format.js';
import type { Cell } from '../../pictures/cell.js';
import type { Contacts } from './contacts.svelte.js';
import { LEAST_APART, type Ranking } from './ranking.js';

/** What there is to say of a pair of sites that is pointed at. */
export function pairWords(lab: Contacts, { row, column }: Cell): string {
  const [i, j] = [Math.min(row, column), Math.max(row, column)];
  if (i === j) return `Site ${i + 1}.`;
  const pair = `Sites ${i + 1} and ${j + 1}`;
  if (j - i < LEAST_APART) return `${pair}: near along the chain, so not told.`;
  const place = ({ all }: Ranking, what: string) => {
    const at = all.findIndex((each) => each.i === i && each.j === j);
    return at < 0 ? [] : [`number ${at + 1} by ${what}, ${real(all[at]?.strength ?? 0, 3)}`];
  };
  const isContact = lab.truth?.contacts.some(([a, b]) => a === i && b === j);
  const words = [
    ...(isContact === undefined ? [] : [isContact ? 'a contact' : 'no contact']),
    ...place(lab.couplings, 'couplings'),
    ...place(lab.information, 'mutual information'),
  ];
  return `${pair}: ${words.join('; ')}.`;
}

/** How many random patterns networks of so many units are known to store. */
import { t } from '../../lib/language.js';

export function marksOf(units: number): { name: string; at: number }[] {
  return [
    { name: t('n/(4 ln n)'), at: units / (4 * Math.log(units)) },
    { name: 'n', at: units },
    { name: '1.5 n', at: 1.5 * units },
  ];
}

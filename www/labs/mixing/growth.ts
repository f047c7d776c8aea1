import { real } from '../../lib/format.js';
import { t } from '../../lib/language.js';
import type { Made } from './sizes.svelte.js';

/** What the relaxation times do as n grows, in sentences; a curve needs its two largest sizes. */
export function growthOf(made: readonly Made[], betas: readonly number[]): string[] {
  return betas.flatMap((beta) => {
    const curve = made.filter((one) => one.family === 'curieWeiss' && one.beta === beta);
    const [half, whole] = [100, 200].map((size) => curve.find((one) => one.size === size));
    if (!half || !whole) return [];
    const factor = t(
      'from 100 to 200 spins the relaxation time grows by a factor of {relaxationTime}',
      { relaxationTime: real(whole.relaxationTime / half.relaxationTime, 3) },
    );
    if (beta < 1) {
      const theory = real(whole.size / (1 - beta), 4);
      return [
        t(
          'At β = {beta} {factor}: below 1 it is in proportion to n in the end. With 200 spins it is {relaxationTime} steps; n/(1 − β) would be {theory}.',
          { beta, factor, relaxationTime: real(whole.relaxationTime, 4), theory },
        ),
      ];
    }
    if (beta === 1) {
      return [
        t('At β = 1 {factor}: about as n to the power of 3/2, which would be {value}.', {
          factor,
          value: real(2 ** 1.5, 3),
        }),
      ];
    }
    const [before, now] = [half, whole].map((one) => real(one.conductance ?? 0, 3));
    return [
      t(
        'At β = {beta} {factor}: above 1 it grows exponentially in the end, as the conductance falls, here from {before} to {now}.',
        { beta, factor, before, now },
      ),
    ];
  });
}

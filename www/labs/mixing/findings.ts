import type { ChainResult } from 'unnorm';
import { count, real } from '../../lib/format.js';
import { t } from '../../lib/language.js';
import type { Chain } from './presets.js';

/** What was found besides the flags, in sentences made from the numbers. */
export function findingsOf({ names }: Chain, result: ChainResult): string[] {
  return [...mixingOf(result), ...bottleneckOf(names, result)];
}

function mixingOf({
  mixingTime,
  relaxationTime,
  irreducible,
  aperiodic,
  distances,
  reversible,
}: ChainResult): string[] {
  if (mixingTime === undefined) {
    return irreducible && aperiodic && distances.length > 0
      ? [t('So slow is it that it has not mixed after 2⁴⁰ steps, where the search ends.')]
      : [];
  }
  const worst = t('From the worst start it takes {steps} until the distance from π is at most ¼.', {
    steps: steps(mixingTime),
  });
  if (relaxationTime === undefined || !reversible) return [worst];
  return [
    t(
      '{worst} The relaxation time, 1 divided by the absolute gap, is {relaxationTime}: in so many steps what is left falls by about e.',
      { worst, relaxationTime: real(relaxationTime, 4) },
    ),
  ];
}

function bottleneckOf(names: readonly string[], { conductance, gap }: ChainResult): string[] {
  if (!conductance || gap === undefined) return [];
  const { set, value, probability, flow, gapBounds } = conductance;
  const states = [...set].map((state) => names[state]).join(', ');
  const where = t(
    'The narrowest way out is that of S = {{states}}: π(S) is {probability}, and in a step {flow} flows out, so Φ* = {value}. Begun in S, the chain stays for about {value2} steps.',
    {
      states,
      probability: real(probability, 4),
      flow: real(flow, 4),
      value: real(value, 4),
      value2: real(1 / value, 3),
    },
  );
  return [
    where,
    t('Cheeger’s inequality puts the gap between {gapBounds} and {gapBounds2}; it is {gap}.', {
      gapBounds: real(gapBounds[0], 3),
      gapBounds2: real(gapBounds[1], 3),
      gap: real(gap, 4),
    }),
  ];
}

function steps(num: number): string {
  return num === 1 ? t('one step') : t('{num} steps', { num: count(num) });
}

import type { ChainResult } from 'unnorm';
import { count, real } from '../../lib/format.js';
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
      ? ['So slow is it that it has not mixed after 2⁴⁰ steps, where the search ends.']
      : [];
  }
  const worst = `From the worst start it takes ${steps(mixingTime)} until the distance from π is at most ¼.`;
  if (relaxationTime === undefined || !reversible) return [worst];
  return [
    `${worst} The relaxation time, 1 divided by the absolute gap, is ${real(relaxationTime, 4)}: in so many steps what is left falls by about e.`,
  ];
}

function bottleneckOf(names: readonly string[], { conductance, gap }: ChainResult): string[] {
  if (!conductance || gap === undefined) return [];
  const { set, value, probability, flow, gapBounds } = conductance;
  const states = [...set].map((state) => names[state]).join(', ');
  const where = `The narrowest way out is that of S = {${states}}: π(S) is ${real(probability, 4)}, and in a step ${real(flow, 4)} flows out, so Φ* = ${real(value, 4)}. Begun in S, the chain stays for about ${real(1 / value, 3)} steps.`;
  return [
    where,
    `Cheeger’s inequality puts the gap between ${real(gapBounds[0], 3)} and ${real(gapBounds[1], 3)}; it is ${real(gap, 4)}.`,
  ];
}

function steps(num: number): string {
  return num === 1 ? 'one step' : `${count(num)} steps`;
}

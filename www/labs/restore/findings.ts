import { count, decimal, real } from '../../lib/format.js';
import type { Completion } from './completion.svelte.js';
import { NUM_COMPLETIONS } from './machine.js';
import type { NoisyPicture } from './noisy.svelte.js';
import { energyOf } from './posterior.js';
import { answersOf, completionsOf, percent, shareOff, shareOffIn, surpriseOf } from './words.js';

/** What was found, in sentences made from the numbers. */

/** From here on chains do not agree. */
const AGREEING = 1.05;

export function noisyFindings(noisy: NoisyPicture): string[] {
  return [
    ...bestOf(noisy),
    ...lowestOf(noisy),
    ...calibrationOf(noisy),
    ...holeOf(noisy),
    ...checksOf(noisy),
    ...mixingOf(noisy.draws?.rhat),
  ];
}

export function completionFindings(completion: Completion): string[] {
  const facts = completionsOf(completion);
  if (!facts || !completion.completed) return [];
  const { numDistinct, apart, off } = facts;
  const distinct =
    numDistinct === NUM_COMPLETIONS
      ? `All ${count(numDistinct)} completions are different pictures.`
      : `Only ${count(numDistinct)} of the ${count(NUM_COMPLETIONS)} completions are different pictures.`;
  const spread = `Two of them differ in ${percent(apart)} of the erased pixels on average. From the true digit a completion differs in ${percent(off)}. Were the machine right, the two would be the same on average over many digits.`;
  return [distinct, spread, ...mixingOf(completion.completed.rhat), ...bitsOf(completion)];
}

function bestOf(noisy: NoisyPicture): string[] {
  const { picture, seen, hole } = noisy;
  if (!picture || !seen || !noisy.draws) return [];
  const answers = answersOf(noisy).flatMap(({ name, bits }) =>
    bits ? [{ name, off: shareOff(bits, picture.bits) }] : [],
  );
  const least = Math.min(...answers.map(({ off }) => off));
  const best = answers.filter(({ off }) => off === least).map(({ name }) => name);
  const flipped = shareOffIn(seen.bits, picture.bits, hole, false) ?? 0;
  const all = answers.map(({ name, off }) => `${name.toLowerCase()} ${percent(off, 2)}`).join(', ');
  const before = `Noise has flipped ${percent(flipped, 2)} of the pixels that are given.`;
  return [
    `${before} Off after the restoration: ${all}. Fewest: ${best.join(' and ').toLowerCase()}.`,
  ];
}

function lowestOf({ picture, seen, descent, cut, draws }: NoisyPicture): string[] {
  if (!picture || !seen || !descent || !cut || !draws) return [];
  const [byDescent, byCut, byPixel] = [descent.bits, cut.bits, draws.likeliest].map((bits) =>
    shareOff(bits, picture.bits),
  ) as [number, number, number];
  const truth = energyOf(seen, picture.bits) - cut.energy;
  const gap = `No picture has a lower energy than the minimum cut. Descent stops ${decimal(descent.energy - cut.energy, 1)} nats above it, and the true picture lies ${decimal(truth, 1)} nats above it.`;
  const better = byDescent < byCut ? 'descent' : byPixel < byCut ? 'pixel by pixel' : undefined;
  if (!better) return [gap];
  return [`${gap} The lowest energy is not the best picture: ${better} has fewer pixels off.`];
}

function calibrationOf(noisy: NoisyPicture): string[] {
  const found = surpriseOf(noisy);
  if (!found) return [];
  const { value, off, spread, z } = found;
  const both = `Pixel by pixel the posterior expects ${percent(value, 2)} to be off, give or take ${percent(spread, 2)}; in truth it is ${percent(off, 2)}.`;
  const far = `That is ${decimal(Math.abs(z), 1)} standard deviations ${z > 0 ? 'more' : 'fewer'}`;
  const judged =
    Math.abs(z) < 3
      ? `${far}, which alone says nothing against the prior.`
      : `${far}: this prior is not what the picture is from.`;
  return [`${both} ${judged}`];
}

function holeOf(noisy: NoisyPicture): string[] {
  const { picture, hole } = noisy;
  if (!picture || !noisy.draws) return [];
  const parts = answersOf(noisy).flatMap(({ name, bits }) => {
    const share = bits && shareOffIn(bits, picture.bits, hole);
    return share === undefined ? [] : [`${name.toLowerCase()} ${percent(share, 1)}`];
  });
  if (parts.length === 0) return [];
  return [
    `In the hole, where only neighbours tell, off are: ${parts.join(', ')}. Descent starts there from fair coins.`,
  ];
}

function checksOf({ checks }: NoisyPicture): string[] {
  const scores = checks
    .filter(({ drawn }) => drawn.error > 0)
    .map(({ drawn, exact }) => Math.abs(drawn.value - exact) / drawn.error);
  if (scores.length === 0) return [];
  return [
    `Of ${count(checks.length)} pixels the exact probability is known: the draws are at most ${real(Math.max(...scores), 2)} standard errors from it.`,
  ];
}

function mixingOf(rhat: number | undefined): string[] {
  if (rhat === undefined || Number.isNaN(rhat)) return [];
  if (rhat < AGREEING) return [];
  return [
    `R̂ of the energy is ${real(rhat, 3)}: the chains do not agree with one another, so they have not seen all that the model holds possible.`,
  ];
}

function bitsOf({ likelihood, independent, numErased }: Completion): string[] {
  if (!likelihood || independent === undefined) return [];
  const [bits, alone] = [-likelihood.value, -independent].map((nats) => nats / Math.LN2) as [
    number,
    number,
  ];
  return [
    `Told what is given, the machine needs about ${decimal(bits, 0)} bits for the erased part of the true digit. With every pixel on its own it would take ${decimal(alone, 0)}, and with fair coins ${count(numErased)}.`,
  ];
}

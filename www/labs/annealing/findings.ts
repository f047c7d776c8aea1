import { count } from '../../lib/format.js';
import type { Annealing, Rung } from './annealing.svelte.js';
import { judge } from './judge.js';
import { PATHS } from './settings.js';

/** An estimate this near to the truth is a good one, in nats. */
const NEAR = 1;

/** What was found, in sentences made from the numbers. */
export function findingsOf(lab: Annealing): string[] {
  const found = lab.rungs.flatMap((rung) => sentenceOf(lab, rung) ?? []);
  const firsts = PATHS.flatMap(({ id, name }) => {
    const first = lab.rungs.find(
      (rung, n) => lab.rungs.slice(n).every((later) => isNear(lab, later, id)) && rung.results[id],
    );
    return first
      ? [`${name} are within a nat of the truth from K = ${count(first.numDistributions)} on.`]
      : [];
  });
  return [...found, ...firsts];
}

function isNear(lab: Annealing, { results }: Rung, path: 'geometric' | 'momentAverages'): boolean {
  const result = results[path];
  // What has not been run says nothing against it.
  if (!result) return true;
  return Math.abs(judge(result, path, lab.ends, lab.settings.transition).estimate) < NEAR;
}

/** Where the two paths differ most plainly: one estimate near the truth and the other far from it. */
function sentenceOf(lab: Annealing, { numDistributions, results }: Rung): string | undefined {
  const [first, second] = PATHS.map(({ id, name }) => {
    const result = results[id];
    return result && { name, ...judge(result, id, lab.ends, lab.settings.transition) };
  });
  if (!first || !second) return undefined;
  const [worse, better] =
    Math.abs(first.estimate) > Math.abs(second.estimate) ? [first, second] : [second, first];
  const [far, near] = [Math.abs(worse.estimate), Math.abs(better.estimate)];
  if (!(far > 5 && near < NEAR)) return undefined;
  const sure = worse.isCovered ? '' : ', and the 95 % interval does not hold the truth';
  return `With ${count(numDistributions)} distributions ${worse.name.toLowerCase()} are ${far.toFixed(0)} nats off${sure}; ${better.name.toLowerCase()} ${near.toFixed(1)} nats.`;
}

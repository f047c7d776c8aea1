import { count } from '../../lib/format.js';
import { t, withinSentence } from '../../lib/language.js';
import type { Annealing, Rung } from './annealing.svelte.js';
import { judge } from './judge.js';
import { PATHS } from './settings.js';

/** An estimate this near to the truth is a good one, in nats. */
const NEAR = 1;
/** Where one path is off by so much more than the other, and by so many nats, it is said. */
const TIMES = 3;
const FAR = 3;
/** How often, with the fewest distributions. */
const MAX_SAID = 2;

/** What was found, in sentences made from the numbers. */
export function findingsOf(lab: Annealing): string[] {
  const found = lab.rungs.flatMap((rung) => sentenceOf(lab, rung) ?? []);
  const firsts = PATHS.flatMap(({ id, name }) => {
    const first = lab.rungs.find(
      (rung, n) => lab.rungs.slice(n).every((later) => isNear(lab, later, id)) && rung.results[id],
    );
    return first
      ? [
          t('{value} are within a nat of the truth from K = {numDistributions} on.', {
            value: name,
            numDistributions: count(first.numDistributions),
          }),
        ]
      : [];
  });
  return [...found.slice(0, MAX_SAID), ...firsts];
}

function isNear(lab: Annealing, { results }: Rung, path: 'geometric' | 'momentAverages'): boolean {
  const result = results[path];
  // What has not been run says nothing against it.
  if (!result) return true;
  return Math.abs(judge(result, path, lab.ends, lab.settings.transition).estimate) < NEAR;
}

/** Where the two paths differ plainly: one estimate far from the truth, the other much nearer. */
function sentenceOf(lab: Annealing, { numDistributions, results }: Rung): string | undefined {
  const [first, second] = PATHS.map(({ id, name }) => {
    const result = results[id];
    return result && { name, ...judge(result, id, lab.ends, lab.settings.transition) };
  });
  if (!first || !second) return undefined;
  const [worse, better] =
    Math.abs(first.estimate) > Math.abs(second.estimate) ? [first, second] : [second, first];
  const [far, near] = [Math.abs(worse.estimate), Math.abs(better.estimate)];
  if (!(far > FAR && far > TIMES * near)) return undefined;
  const sure = worse.isCovered ? '' : t(', and their 95 % interval does not hold the truth');
  return t(
    'With {numDistributions} distributions {name} are {far} nats off{sure}; {name2} are {near} nats off.',
    {
      numDistributions: count(numDistributions),
      name: withinSentence(worse.name),
      far: far.toFixed(1),
      sure,
      name2: withinSentence(better.name),
      near: near.toFixed(1),
    },
  );
}

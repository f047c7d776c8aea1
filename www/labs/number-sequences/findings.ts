import { count } from '../../lib/format.js';
import { bitsOf } from '../../lib/number-sequences.js';
import type { NumberSequences } from './number-sequences.svelte.js';
import { MOST_KEPT } from './settings.js';
import { bitsText, nextText, textOf, timesText } from './words.js';

/** What was found, in sentences; for a chain that is shown whole. */
export function findingsOf(lab: NumberSequences): string[] {
  const { chain, found, wider, isWhole } = lab;
  const [first, last] = [chain[0], chain.at(-1)];
  if (!first || !last) return [];
  const findings: string[] = [];
  if (first === last) {
    findings.push(
      `No explanation was found: the numbers stay R, at ${bitsText(bitsOf(first.score))}. To this language they are like numbers drawn at random.`,
    );
  } else {
    const saved = bitsText(bitsOf(first.score) - bitsOf(last.score));
    const end = isWhole
      ? `Nothing of them is left to explain, and they go on with ${nextText(lab)}.`
      : `It is an explanation in part: ${last.residues.at(-1)?.join(', ')} stay R.`;
    findings.push(
      `The numbers are ${textOf(last)}, which is ${timesText(last, first)} times as probable as R and saves ${saved}. ${end}`,
    );
  }
  found.levels.forEach(({ best }, n) => {
    const onTheWay = chain[n];
    if (!onTheWay || best.productions.join() === onTheWay.productions.join()) return;
    findings.push(
      `After step ${n} another expression was ahead, ${textOf(best)}, by ${bitsText(bitsOf(onTheWay.score) - bitsOf(best.score))}. ${textOf(onTheWay)} was kept beside it, and led further.`,
    );
  });
  if (wider && wider.score > last.score * (1 + 1e-9)) {
    findings.push(
      `A search that keeps more would do better: with ${MOST_KEPT} kept it finds ${textOf(wider)}, ${timesText(wider, last)} times as probable.`,
    );
  }
  const inVain = found.inVain.filter(({ made }) => made);
  const best = inVain.map(({ made }) => made?.score ?? 0).reduce((a, b) => Math.max(a, b), 0);
  if (!isWhole) {
    findings.push(
      inVain.length === 0
        ? 'No production can have made what is left.'
        : `${inVain.length === 1 ? 'One more production is' : `${count(inVain.length)} more expressions are`} possible, but cost more than they save: the best has ${bitsText(bitsOf(best))}. A greedy search ends there, and does not see what may lie behind.`,
    );
  }
  return findings;
}

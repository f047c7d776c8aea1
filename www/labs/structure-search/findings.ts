import type { StructureResult } from 'unnorm';
import { decimal, real, sentence } from '../../lib/format.js';
import { structureWords } from './expression.js';
import type { StructureSearch } from './structure-search.svelte.js';

/** What was found, in sentences made from the numbers. */
export function findingsOf(lab: StructureSearch): string[] {
  const { result, tree, source, found, settings } = lab;
  if (!result) return [];
  const steps = tree.path
    .slice(1)
    .map(
      ({ text, step, stepError }) => `${text} gains ${decimal(step, 2)} ± ${decimal(stepError, 2)}`,
    );
  const others = found.filter(({ noise }) => noise !== settings.noise);
  return [
    `the structure found is ${result.text}: ${structureWords(result.text)}`,
    ...(steps.length > 0
      ? [`in nats a row and column that were held out, with standard errors: ${steps.join('; ')}`]
      : []),
    ...(source?.made ? [truthOf(source.made.truths, result)] : []),
    ...(others.length > 0
      ? [
          `in the same table with other noise: ${others.map(({ noise, text }) => `${text} at ${real(noise, 2)}`).join('; ')}`,
        ]
      : []),
    ...result.warnings,
    result.stopReason === 'maxDepth'
      ? 'the search ended at the last level allowed: a structure with more productions may be better'
      : `the search ended by itself: one production more does not gain enough`,
  ].map(sentence);
}

/** How the structure that a table was made with has fared. */
function truthOf(truths: readonly string[], { text, score, levels }: StructureResult): string {
  const [made = ''] = truths;
  if (text === made) return 'it is the structure that the table was made with';
  if (truths.includes(text)) return `the table was made with ${made}, which says the same`;
  const tried = levels.flatMap(({ candidates }) => candidates).find((one) => one.text === made);
  const words = `the table was made with ${made}`;
  if (!tried) return `${words}, which the search did not come to`;
  const more = tried.score - score;
  return `${words}, whose score is ${decimal(Math.abs(more), 2)} nats a row and column ${more < 0 ? 'lower' : 'higher: not enough to be taken'}`;
}

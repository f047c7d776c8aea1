import type { KernelsResult } from 'unnorm';
import { count, decimal, real, sentence } from '../../lib/format.js';
import type { KernelSearch } from './kernel-search.svelte.js';
import type { Level } from './levels.js';
import { componentWords } from './words.js';

/** Of a band that should hold 95 % of the values: fewer are worth a word. */
const TOO_FEW = 0.8;

/** What was found, in sentences made from the numbers. */
export function findingsOf(lab: KernelSearch): string[] {
  const { result, best, levels, hidden, source, span } = lab;
  if (!result || !best) return [];
  const parts = result.components.map(({ kernel }) => componentWords(kernel, span));
  const base = levels[0];
  return [
    ...result.warnings,
    `the kernel found is ${result.text}: ${parts.join(', plus ')}`,
    ...(source?.made?.kernel ? [truthOf(source.made.kernel, result, levels)] : []),
    ...(best.scores && base?.scores
      ? [
          base === best
            ? `no deeper level has a lower BIC than the best base kernel, whose root mean square error on the hidden values is ${real(best.scores.rmse, 3)}`
            : `the root mean square error on the hidden values is ${real(best.scores.rmse, 3)}; that of the best base kernel, ${base.level.text}, is ${real(base.scores.rmse, 3)}. Log densities are ${decimal(best.scores.logDensity, 2)} and ${decimal(base.scores.logDensity, 2)} nats a value`,
          `${count(best.numInside)} of ${count(hidden.length)} hidden values lie in the band of 95 %${
            best.numInside < TOO_FEW * hidden.length
              ? ': it is too narrow, for it has no doubt about the kernel and its parameters'
              : ''
          }`,
        ]
      : []),
    result.stopReason === 'maxDepth'
      ? 'the search ended at its last level: another may find a lower BIC'
      : 'the search ended by itself: its last level has no lower BIC',
  ].map(sentence);
}

/** How the kernel that a series was made with has fared. */
function truthOf(kernel: string, { text, bic }: KernelsResult, levels: readonly Level[]): string {
  if (kernel === text) return 'it is the kernel that the series was made with';
  const made = `the series was made with ${kernel}`;
  const tried = levels
    .flatMap(({ level }) => level.candidates)
    .find((each) => each.text === kernel);
  if (!tried) return `${made}, which the search did not come to`;
  if (tried.abandoned) return `${made}, whose fit was abandoned far from the best`;
  return `${made}, whose BIC is ${decimal(tried.bic, 1)}, ${decimal(tried.bic - bic, 1)} more`;
}

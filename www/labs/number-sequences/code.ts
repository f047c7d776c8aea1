import { functionsOf, literal } from '../../lib/code.js';
import { LARGEST, NUM_CHOICES, PRODUCTIONS } from '../../lib/number-sequences.js';
import source from '../../lib/number-sequences.js?raw';
import { NUM_NEXT, type Settings } from './settings.js';

/** The lines that make the same search, from the very functions of the page. */
export function codeFor({ numbers, keep }: Settings): string {
  return [
    `const numbers = ${literal([...numbers])};`,
    `const LARGEST = ${LARGEST}; // that R draws`,
    `const NUM_CHOICES = ${NUM_CHOICES}; // of the grammar, to stop included`,
    `const PRODUCTIONS = ${literal([...PRODUCTIONS])};`,
    '',
    ...functionsOf(source, 'probabilityOfR', 'boundsWeight'),
    ...functionsOf(source, 'undoCumsum', 'undoSquare', 'undoNthprime', 'undoCount'),
    ...functionsOf(source, 'primesBelow', 'undo', 'apply'),
    ...functionsOf(source, 'search', 'extend', 'continuation', 'expressionText', 'bitsOf'),
    `const { levels } = search(numbers, ${keep});`,
    'for (const { best } of levels) {',
    '  console.log(expressionText(best.productions, numbers.length), bitsOf(best.score).toFixed(1));',
    '}',
    `const [next] = continuation(levels.at(-1).best, ${NUM_NEXT});`,
    "console.log('next', ...next);",
  ].join('\n');
}

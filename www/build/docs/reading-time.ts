/** How long a chapter of the course takes. */

/** Words a minute of a text with formulas. */
const PACE = 180;
/** Minutes for each part that one moves, answers or runs. */
const MINUTES = { figure: 1, question: 0.75, js: 1 };

/** Whole minutes for reading a chapter, moving its figures, answering its questions and running its code. */
export function readingMinutes(markdown: string): number {
  const fences = [...markdown.matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm)];
  const parts = fences.reduce(
    (sum, [, kind = '']) => sum + (MINUTES[kind as keyof typeof MINUTES] ?? 0),
    0,
  );
  // Captions and questions are read; code is run.
  const prose = markdown.replace(/^```js[^\n]*\n[\s\S]*?^```$/gm, '');
  const numWords = prose.match(/\p{L}[\p{L}’'-]*/gu)?.length ?? 0;
  return Math.round(numWords / PACE + parts);
}

/** How many lines of code fit every window, a phone's too. Longer code is folded, to its beginning. */
const MAX_LINES = 32;

/** The number of lines of code that is to be folded, or undefined. */
export function foldedLines(code: string): number | undefined {
  const lines = code.trimEnd().split('\n').length;
  return lines > MAX_LINES ? lines : undefined;
}

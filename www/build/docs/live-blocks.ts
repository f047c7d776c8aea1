/** Which blocks of JavaScript can be run on the page, and why the others cannot. */

/** The modules that the sandbox has. */
const MODULES: ReadonlySet<string> = new Set(['unnorm', 'unnorm/formats', 'unnorm/inline']);

/** Whether a block begins a program or goes on with the one before it, or why it does not run here. */
export type LiveBlock = { live: 'begin' | 'continue' } | { why: string };

/** Goes through the fences of one page in order; undefined for what is no JavaScript. */
export function liveBlocks(): (info: string, code: string) => LiveBlock | undefined {
  let last: LiveBlock | undefined;
  return (info, code) => {
    const [language = '', ...words] = info.split(/ +/);
    if (language !== 'js' && language !== 'ts') return undefined;
    const why = words.includes('browser')
      ? 'It needs a page for itself, which it changes or reloads.'
      : whyNot(code);
    const continues = words.at(-1) === 'continue';
    if (why) last = { why };
    else if (!continues) last = { live: 'begin' };
    else if (last && 'live' in last) last = { live: 'continue' };
    return last;
  };
}

function whyNot(code: string): string | undefined {
  const names = [...code.matchAll(/(?:from|import|import\() ?'([^']+)'/g)].map(
    ([, name = '']) => name,
  );
  if (names.some((name) => name.startsWith('node:')))
    return 'It reads files or processes, as Node can and a page cannot.';
  if (names.some((name) => !MODULES.has(name)) || /import\.meta|export default \{/.test(code))
    return 'It is a part of an app, with files of its own.';
  if (/moduleUrl\(/.test(code))
    return 'It imports a module from its text, which the sandbox refuses.';
  return undefined;
}

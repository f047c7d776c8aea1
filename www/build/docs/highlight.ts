/**
 * Colours for code, at build time: comments, strings, numbers and words of the language. No more than that, so that
 * a regular expression is enough.
 */
import { escapeHtml } from './text.js';

const words =
  /^(?:async|await|const|default|else|export|for|from|function|if|import|let|new|of|return|throw|type|typeof|while)$/;

const pythonWords =
  /^(?:and|as|def|except|for|from|if|import|in|lambda|not|or|raise|return|try|while|with)$/;

const tokens =
  /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|(\b\d[\w.]*)|(\b[A-Za-z_]\w*)|([\s\S])/g;

/** The same of Python; a `#` begins a comment. */
const pythonTokens =
  /(#[^\n]*)|('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|(\b\d[\w.]*)|(\b[A-Za-z_]\w*)|([\s\S])/g;

const languages = new Set(['js', 'jsx', 'ts', 'tsx', 'json']);

/** Code as HTML. */
export function highlight(code: string, language: string): string {
  if (language === 'sh') {
    return code
      .split('\n')
      .map((line) => {
        const [, before = line, comment] = /^(.*?)(#(?: .*)?)?$/.exec(line) ?? [];
        return escapeHtml(before) + (comment ? span('comment', comment) : '');
      })
      .join('\n');
  }
  const isPython = language === 'python';
  if (!languages.has(language) && !isPython) return escapeHtml(code);
  const [pattern, keywords] = isPython ? [pythonTokens, pythonWords] : [tokens, words];
  return code.replace(pattern, (whole, comment, string, number, word) => {
    if (comment) return span('comment', whole);
    if (string) return span('string', whole);
    if (number) return span('number', whole);
    if (word && keywords.test(whole)) return span('word', whole);
    return escapeHtml(whole);
  });
}

function span(kind: string, text: string): string {
  return `<span class="${kind}">${escapeHtml(text)}</span>`;
}

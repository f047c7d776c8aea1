/** The page of a run of `npm run statistics`. */
import { Marked } from 'marked';

const escaped = (text) =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** What the head of a Rust test file says it is about: its `//!` lines. */
export function aboutOf(source) {
  const lines = source.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//!'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/! ?/, ''))
    .join('\n');
}

/** What a test printed, without what Rust's harness says of it. */
export function printedBy(output) {
  const harness =
    /^(running \d+ tests?|test .* \.\.\. (ok|FAILED)|test result: .*|successes:|failures:|note: run with .*)$/;
  return output
    .split('\n')
    .filter((line) => !harness.test(line))
    .join('\n')
    .trim();
}

/** Text with tables in it, written as comments of Rust or not, as HTML. */
function shown(text) {
  const lines = text.split('\n').map((line) => line.replace(/^\/\/! ?(?=\|)/, ''));
  const blocks = [];
  for (const line of lines) {
    const isTable = line.startsWith('|');
    if (blocks.at(-1)?.isTable !== isTable) blocks.push({ isTable, lines: [] });
    blocks.at(-1).lines.push(line);
  }
  const marked = new Marked();
  return blocks
    .map(({ isTable, lines: own }) => {
      const block = escaped(own.join('\n').trim());
      if (block === '') return '';
      return isTable ? marked.parse(block) : `<pre>${block}</pre>`;
    })
    .join('\n');
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1d1d1f; }
  h2 { margin-top: 2.5rem; border-top: 1px solid #ccc; padding-top: 1rem; }
  h3 { font-size: 1rem; margin-bottom: 0.25rem; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.5rem 0; }
  th, td { border: 1px solid #ccc; padding: 0.15rem 0.6rem; text-align: left; }
  th { vertical-align: top; }
  .tests td { white-space: nowrap; }
  .tests .test { white-space: normal; overflow-wrap: anywhere; }
  .tests td:last-child { text-align: right; }
  pre { background: #f6f6f4; padding: 0.6rem; overflow-x: auto; font-size: 0.8rem; line-height: 1.4; }
  .failed { color: #a11; font-weight: bold; }
  @media (prefers-color-scheme: dark) {
    body { background: #1c1c1e; color: #eee; }
    pre { background: #2a2a2c; }
    th, td, h2 { border-color: #555; }
    .failed { color: #f88; }
    a { color: #8ab4f8; }
  }
`;

/**
 * @param about `{ version, rust, machine, date, complete }`, of which the last says whether nothing was left out
 * @param suites `[{ name, about, tests: [{ name, isFull, seconds, isPassed, output }] }]`; `isFull` for what `npm test`
 *   leaves out
 */
export function pageOf(about, suites) {
  const word = ({ isPassed }) => (isPassed ? 'passed' : '<span class="failed">FAILED</span>');
  const all = suites.flatMap(({ tests }) => tests);
  const numFailed = all.filter(({ isPassed }) => !isPassed).length;
  const rows = suites.flatMap(({ name, tests }) =>
    tests.map((test, at) => {
      const suite = `<th rowspan="${tests.length}"><a href="#${name}">${name}</a></th>`;
      const own = test.name.startsWith(`${name}::`) ? test.name.slice(name.length + 2) : test.name;
      const size = test.isFull ? 'full size' : 'as in npm test';
      const cells = [size, word(test), test.seconds.toFixed(1)];
      const rest = `<td class="test">${own}</td><td>${cells.join('</td><td>')}</td>`;
      return `<tr>${at === 0 ? suite : ''}${rest}</tr>`;
    }),
  );
  const sections = suites.map(({ name, about: words, tests }) => {
    const parts = tests.map((test) => {
      const text = printedBy(test.output);
      const output = text === '' ? '<p>It prints nothing.</p>' : shown(text);
      return `<h3>${test.name}, ${word(test)}</h3>\n<div class="scroll">${output}</div>`;
    });
    return `<h2 id="${name}">${name}</h2>\n${new Marked().parse(escaped(words))}\n${parts.join('\n')}`;
  });
  const verdict =
    numFailed === 0 ? 'all passed' : `<span class="failed">${numFailed} FAILED</span>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Statistical tests of unnorm</title>
<style>${STYLE}</style>
<h1>Statistical tests of unnorm</h1>
<p>unnorm ${escaped(about.version)}, ${escaped(about.rust)}, ${escaped(about.machine)}, ${escaped(about.date)}.
${all.length} tests, ${verdict}.${about.complete ? '' : ' This is a part of them.'}</p>
<div class="scroll"><table class="tests">
<tr><th>suite</th><th>test</th><th>size</th><th>result</th><th>seconds</th></tr>
${rows.join('\n')}
</table></div>
${sections.join('\n')}
</html>
`;
}

/** The page that `npm run statistics` makes of what tests print. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutOf, pageOf, printedBy } from '../statistics/report.mjs';

test('of a file it takes what its head says', () => {
  const source = '//! How often\n//! it is true.\n//!\n//! | a |\n\nuse x;\n';
  assert.equal(aboutOf(source), 'How often\nit is true.\n\n| a |');
});

test('of what a test prints the harness has no part', () => {
  const output =
    '\nrunning 1 test\nat least 3 of 4\ntest result\ntest a::b ... ok\n\ntest result: ok. 1 passed; 0 failed\n\n';
  assert.equal(printedBy(output), 'at least 3 of 4\ntest result');
});

test('the page has every test, tables as tables, the rest as it is, and says what failed', () => {
  const about = { version: '1', rust: 'rustc 1', machine: 'a <b>', date: 'today', complete: false };
  const passed = { name: 'good', isFull: true, seconds: 2, isPassed: true };
  const output = 'x < y & z\n//! | sd | share |\n//! |---|---|\n//! | 1 | 95.0 |\nend\n';
  const failed = { name: 'bad', isFull: false, seconds: 1, isPassed: false, output: '' };
  const suite = { name: 'suite', about: 'About `x`.', tests: [{ ...passed, output }, failed] };
  const page = pageOf(about, [suite]);
  assert.match(
    page,
    /a &lt;b&gt;, today\.\n2 tests, <span class="failed">1 FAILED<\/span>\. This is a part/,
  );
  assert.match(
    page,
    /<td class="test">good<\/td><td>full size<\/td><td>passed<\/td><td>2\.0<\/td>/,
  );
  assert.match(
    page,
    /<td class="test">bad<\/td><td>as in npm test<\/td><td><span class="failed">FAILED<\/span>/,
  );
  assert.match(page, /<pre>x &lt; y &amp; z<\/pre>/);
  assert.match(page, /<th>share<\/th>[\s\S]*<td>95\.0<\/td>/);
  assert.match(page, /<pre>end<\/pre>/);
  assert.match(page, /About <code>x<\/code>\./);
  assert.match(page, /It prints nothing\./);
  const fine = pageOf({ ...about, complete: true }, [{ ...suite, tests: [{ ...passed, output }] }]);
  assert.match(fine, /1 tests, all passed\.<\/p>/);
});

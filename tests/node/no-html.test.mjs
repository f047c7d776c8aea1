/** Nothing turns text into HTML or code: neither the package nor the site has a way to. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What would: each by the name one has to write for it. */
const SINKS = [
  ...[/\{@html\b/, /\.(inner|outer)HTML\s*\+?=[^=]/, /\binsertAdjacentHTML\b/, /\bsetHTMLUnsafe\b/],
  ...[/\bcreateContextualFragment\b/, /\bDOMParser\b/, /\bdocument\.write/, /\bsrcdoc\b/],
  ...[/\beval\(/, /\bnew Function\b/, /\bset(Timeout|Interval)\(\s*['"`]/],
];

/** The build of the documentation writes HTML, of the project's own text, before anybody sees it. */
const isServed = (file) => !file.startsWith('www/build/');

const sources = ['src/ts', 'www']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) =>
      `${folder}/${name}`.replaceAll('\\', '/'),
    ),
  )
  .filter((file) => /\.(ts|js|mjs|svelte|html)$/.test(file) && isServed(file));

test('no source has a sink for HTML or code', () => {
  assert.ok(sources.length > 300, `${sources.length} files`);
  const found = sources.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return SINKS.filter((sink) => sink.test(text)).map((sink) => `${file}: ${sink}`);
  });
  assert.deepEqual(found, []);
});

test('the sinks are recognized', () => {
  const examples = [
    '{@html text}',
    'box.innerHTML = text',
    'box.outerHTML += text',
    "box.insertAdjacentHTML('beforeend', text)",
    'document.write(text)',
    'eval(text)',
    "setTimeout('go()')",
  ];
  for (const example of examples) {
    assert.ok(
      SINKS.some((sink) => sink.test(example)),
      example,
    );
  }
});

/** What the documents for contributors say of the source is so: the files they name are there, and what they quote stands there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../src/tools/run.mjs';

const DOCUMENTS = ['CONTRIBUTING.md', 'ARCHITECTURE.md', 'README.md'];

const read = (file) => readFileSync(join(root, file), 'utf8');

/** The fences that quote a file: its name stands behind the language. Pieces are parted by lines `// …`. */
function quotesOf(text) {
  const fences = text.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms);
  return [...fences].map(([, file, body]) => ({ file, pieces: body.split(/^\s*\/\/ …\n/m) }));
}

/** The pieces that a text does not have, in their order. */
function missingFrom(text, pieces) {
  let from = 0;
  return pieces.filter((piece) => {
    const at = text.indexOf(piece, from);
    if (at >= 0) from = at + piece.length;
    return at < 0;
  });
}

/** Names of files and folders in a text; those with a part in capitals or an asterisk stand for many. */
function filesIn(text) {
  const named = [...text.matchAll(/`((?:src|tests|www)\/[\w./*-]+)`/g)].map(([, name]) => name);
  return named.filter((name) => !/\*|\b[A-Z]{2,}\b/.test(name));
}

test('files that are named are there', () => {
  for (const document of DOCUMENTS) {
    const files = filesIn(read(document));
    const gone = files.filter((file) => !existsSync(join(root, file)));
    assert.deepEqual(gone, [], document);
  }
  assert.ok(filesIn(read('CONTRIBUTING.md')).length > 20);
});

test('the worked example is the source as it is', () => {
  const quotes = quotesOf(read('CONTRIBUTING.md'));
  for (const { file, pieces } of quotes) {
    assert.deepEqual(missingFrom(read(file), pieces), [], file);
  }
  assert.deepEqual(
    quotes.map(({ file }) => file),
    ['src/models/banana.rs', 'src/models/banana.rs', 'src/models/banana.rs', 'src/models/lib.rs'],
  );
});

test('a quotation that is no longer so is found', () => {
  const fence = '```rust a.rs\nfirst\n// …\nsecond\n```\n';
  const [{ file, pieces }] = quotesOf(fence);
  assert.deepEqual([file, pieces], ['a.rs', ['first\n', 'second\n']]);
  assert.deepEqual(missingFrom('first\nand\nsecond\n', pieces), []);
  assert.deepEqual(missingFrom('second\nfirst\n', pieces), ['second\n']);
  assert.deepEqual(missingFrom('first\nthird\n', pieces), ['second\n']);
});

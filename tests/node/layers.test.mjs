/** The check of the layers of the Rust modules finds what it is there for. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { LAYERS, layerFaults } from '../../src/tools/layers.mjs';
import { root } from '../../src/tools/run.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-layers-'));
after(() => rmSync(folder, { recursive: true }));

let numTrees = 0;

/** What is wrong with a crate of these files. */
function faultsOf(files) {
  const tree = join(folder, `${numTrees++}`);
  for (const [name, text] of Object.entries(files)) {
    const file = join(tree, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return layerFaults(relative(root, tree));
}

const PLAIN = {
  'lib.rs': 'pub mod energy;\npub mod models;\npub use models::Model;',
  'energy/mod.rs': 'mod loss;\npub use loss::Loss;',
  'energy/loss.rs': 'pub struct Loss;',
  'models/mod.rs': 'use crate::energy::{self, Loss};\npub struct Model(Loss);',
};

test('imports that go down are as they should be', () => {
  assert.deepEqual(faultsOf(PLAIN), []);
});

test('an import upward is found, however it is written', () => {
  const fault = ['energy/loss.rs imports upward, from models/mod.rs.'];
  for (const how of [
    'use crate::models::Model;',
    'use crate::{\n    models::{Model as Other},\n};',
    'use super::super::models;',
    'fn of(model: &crate::models::Model) {}',
  ]) {
    // One that is not followed by another down makes no circle.
    const models = 'pub struct Model;';
    const files = { ...PLAIN, 'energy/loss.rs': how, 'models/mod.rs': models };
    assert.deepEqual(faultsOf(files), fault, how);
  }
});

test('tests and comments may name anything', () => {
  const tests =
    'pub struct Loss;\n// crate::models\n#[cfg(test)]\nmod tests {\n    use crate::models::Model;\n}';
  const files = {
    ...PLAIN,
    'energy/loss.rs': tests,
    'energy/loss/tests.rs': 'use crate::models::Model;',
  };
  assert.deepEqual(faultsOf(files), []);
});

test('a circle of files is found, also through what is re-exported', () => {
  const files = {
    ...PLAIN,
    'models/mod.rs': 'mod ising;\nmod pairs;\npub use ising::Ising;\npub use pairs::Pairs;',
    'models/ising.rs': 'use super::Pairs;\npub struct Ising(Pairs);',
    'models/pairs.rs': 'use crate::models::Ising;\npub struct Pairs(Box<Ising>);',
  };
  const [fault, ...others] = faultsOf(files);
  assert.match(fault, /in a circle: models\/ising, models\/pairs\./);
  assert.deepEqual(others, []);
});

test('a module of no layer is refused', () => {
  const [fault] = faultsOf({ ...PLAIN, 'cellar.rs': '' });
  assert.match(fault, /cellar\.rs is in no layer/);
});

test('ARCHITECTURE.md has the layers that are kept', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [, table] = text.split('## The layers of the Rust crates');
  const rows = table.split('\n## ')[0].matchAll(/^\| (`[^|]*`) *\|/gm);
  const layers = Array.from(rows, ([, names]) => names.replaceAll('`', '').split(', '));
  assert.deepEqual(layers, LAYERS);
});

test('files and folders that ARCHITECTURE.md names are there', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const named = Array.from(text.matchAll(/`((?:src|tests|www)\/[\w./-]+)`/g), ([, path]) => path);
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

// What other programs show of a link to the site.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { siteModules } from './site-module.mjs';

const { cardTags, labs } = await siteModules('build/cards.ts', 'labs/registry.ts');

const html =
  '<title>A &amp; B · unnorm</title><meta name="description" content="Two &quot;letters&quot;." />';

const contents = (tags) =>
  Object.fromEntries(
    tags.map((tag) => tag.match(/(?:property|name)="([^"]*)" content="([^"]*)"/).slice(1)),
  );

test('a page tells its title and description, and its picture where the address of the site is known', () => {
  const plain = contents(cardTags(html, 'labs/annealing/', undefined));
  assert.equal(plain['og:title'], 'A &amp; B · unnorm');
  assert.equal(plain['og:description'], 'Two &quot;letters&quot;.');
  assert.ok(!('og:image' in plain) && !('og:url' in plain));
  for (const site of ['https://example.org/unnorm', 'https://example.org/unnorm/']) {
    const lab = contents(cardTags(html, 'labs/annealing/', site));
    assert.equal(lab['og:url'], 'https://example.org/unnorm/labs/annealing/');
    assert.equal(lab['og:image'], 'https://example.org/unnorm/cards/annealing.png');
    assert.equal(lab['twitter:card'], 'summary_large_image');
    const other = contents(cardTags(html, 'docs/guides/fit/', site));
    assert.equal(other['og:image'], 'https://example.org/unnorm/cards/site.png');
  }
  assert.throws(
    () => cardTags(html, '', 'example.org'),
    /SITE_ADDRESS is example\.org; give all of it/,
  );
  assert.throws(() => cardTags('<title>No description</title>', '', undefined), /has no/);
});

test('every lab has a picture of 1200 × 630 pixels', () => {
  for (const name of ['site', ...labs.map(({ slug }) => slug)]) {
    const file = new URL(`../../www/cards/${name}.png`, import.meta.url);
    assert.ok(existsSync(file), `${name}: make it by node tests/browser/link-cards.mjs`);
    const png = readFileSync(file);
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630], name);
  }
});

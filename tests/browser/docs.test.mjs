/**
 * The documentation on the built site: its pages, their links and their search. That every page loads, fits a phone and
 * has nothing for axe to find is in accessibility.test.mjs.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { siteFolder } from '../../src/tools/build.mjs';
import { openSite, violationsOf } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

/** Every page of the documentation, as its address below the site's. */
const addresses = readdirSync(join(siteFolder, 'docs'), { recursive: true })
  .map((file) => `docs/${String(file).replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('/index.html'))
  .map((file) => file.slice(0, -'index.html'.length))
  .sort();

test('there are pages of guides, methods and the reference', () => {
  for (const part of ['docs/guides/', 'docs/methods/', 'docs/api/']) {
    assert.ok(addresses.filter((address) => address.startsWith(part)).length >= 8, part);
  }
});

test('all links within the site lead somewhere, to the heading', () => {
  const html = (address) => readFileSync(join(siteFolder, address, 'index.html'), 'utf8');
  const idsOf = (text) => new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
  const base = 'http://host/';
  let numLinks = 0;
  for (const address of addresses) {
    const text = html(address);
    for (const [, href] of text.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      if (/^(https?|mailto):/.test(href)) continue;
      const { pathname, hash } = new URL(href, base + address);
      const target = pathname.slice(1);
      const file = join(siteFolder, target);
      assert.ok(existsSync(file), `${address} links to ${href}`);
      if (!statSync(file).isDirectory()) continue;
      assert.ok(existsSync(join(file, 'index.html')), `${address} links to ${href}`);
      const found = hash === '' || idsOf(html(target)).has(decodeURIComponent(hash.slice(1)));
      assert.ok(found, `${address} links to ${href}, and there is no such heading`);
      numLinks++;
    }
  }
  assert.ok(numLinks > 1000, `${numLinks} links`);
});

test('llms.txt lists every page and every lab, and the Markdown has its figures', () => {
  const list = readFileSync(join(siteFolder, 'llms.txt'), 'utf8');
  assert.match(list, /^# unnorm\n\n> \S.*\n\n## Start\n\n- \[/);
  const links = Array.from(list.matchAll(/^- \[[^\]]+\]\(([^)]+)\)(?:: \S.*)?$/gm), ([, to]) => to);
  assert.equal(links.length, list.match(/^- /gm).length);
  for (const link of links) assert.ok(existsSync(join(siteFolder, link)), link);
  const pageOf = (link) => (link.endsWith('.md') ? link.replace(/(index)?\.md$/, '/') : link);
  const listed = new Set(links.map(pageOf).map((address) => address.replace('//', '/')));
  for (const address of addresses) assert.ok(listed.has(address), address);
  const labs = readdirSync(join(siteFolder, 'labs')).filter((lab) =>
    existsSync(join(siteFolder, 'labs', lab, 'index.html')),
  );
  for (const lab of labs) assert.ok(listed.has(`labs/${lab}/`), lab);
  const results = readFileSync(join(siteFolder, 'docs/reproductions.md'), 'utf8');
  assert.ok(results.length > 10_000 && !results.includes('{{'));
});

test('equations are MathML, and there without a script', async () => {
  const { page } = await site.page('docs/methods/minimum-probability-flow/', {
    javaScriptEnabled: false,
  });
  assert.ok((await page.locator('article math').count()) > 30);
  assert.ok((await page.locator('.equation .number').first().textContent()) === '(2.6)');
  assert.ok((await page.locator('nav[aria-label="Documentation"] a').count()) > 30);
  assert.equal(await page.locator('.temml-error, merror').count(), 0);
});

test('wide equations and tables scroll by themselves, and by keyboard', async () => {
  const { page } = await site.page('docs/methods/paths/', {
    viewport: { width: 360, height: 740 },
  });
  const wide = page.locator('.equation[tabindex="0"]').first();
  await wide.waitFor();
  assert.match(await wide.getAttribute('aria-label'), /^Equation/);
  await wide.focus();
  for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowRight');
  await page.waitForFunction((element) => element.scrollLeft > 0, await wide.elementHandle());
});

/** Types into the search and waits for what it says. */
async function search(page, words) {
  await page.locator('#search input').fill(words);
  await page
    .locator('#search [role=status]')
    .filter({ hasText: /result|Nothing/ })
    .waitFor();
  return page.locator('#search li a').evaluateAll((links) =>
    links.map((link) => ({
      label: link.querySelector('.label').textContent,
      title: link.querySelector('.title').textContent,
      href: link.getAttribute('href'),
    })),
  );
}

test('the search finds what is asked for, on this machine alone', async () => {
  const { page, problems } = await site.page('docs/guides/fit/');
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.locator('#search input').waitFor();
  assert.ok(!requests.some((url) => url.endsWith('search.json')), 'nothing is fetched in advance');
  const among = async (words, label, title) => {
    const found = await search(page, words);
    const first = found.slice(0, 4);
    assert.ok(
      first.some((one) => one.label === label && one.title === title),
      `“${words}” finds ${JSON.stringify(first)}, and not ${label} ${title}`,
    );
  };
  await among('reduced momentum flips', 'Method', 'Hamiltonian Monte Carlo');
  await among('harmonic mean', 'Method', 'Estimators of evidence');
  await among('ObjectiveSpec', 'API', 'Fit: specs and results');
  await among('weight ESS', 'Guide', 'What this estimate is worth');
  await among('LogZSpec', 'API', 'logZ and spline: specs and results');
  await among('memory', 'Lab', 'Memory');
  await among('psuedolikelihood', 'Method', 'Pseudolikelihood');
  assert.deepEqual(await search(page, 'xylophone quartet'), []);
  assert.equal(requests.filter((url) => url.endsWith('search.json')).length, 1);
  assert.deepEqual(problems, []);
});

test('the search works from the keyboard', async () => {
  const { page } = await site.page('docs/methods/hmc/');
  await page.locator('#search input').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('two-sided bounds');
  await page.locator('#search li a').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const focused = () => page.evaluate(() => document.activeElement.tagName);
  assert.equal(await focused(), 'A');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Escape');
  assert.equal(await focused(), 'INPUT');
  await page.keyboard.press('Enter');
  await page.waitForURL(/docs\/methods\/bounds\//);
  await page.keyboard.press('/');
  await page.keyboard.type('frontier');
  await page.locator('#search li a').first().waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#search li a').count(), 0);
});

test('results are read aloud as links with their kind, and axe finds nothing wrong with them', async () => {
  const { page } = await site.page('docs/', { bypassCSP: true });
  await search(page, 'annealing');
  const link = page.getByRole('link', { name: /^Lab Annealing/ });
  await link.waitFor();
  assert.deepEqual(await violationsOf(page), []);
  await link.click();
  await page.waitForURL(/labs\/annealing\//);
});

test('code can be copied', async () => {
  const { page } = await site.page('docs/guides/energies/');
  await page.locator('figure.code').first().hover();
  await page.locator('figure.code').first().getByRole('button', { name: 'Copy' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^import \{ createEngine \} from 'unnorm';\n/);
});

test('the header leads to the documentation, and its pages on to the next', async () => {
  const { page } = await site.page('');
  await page.getByRole('link', { name: 'Docs' }).click();
  await page.waitForURL(/\/docs\/$/);
  const seen = new Set();
  for (let address = 'docs/'; address && !seen.has(address); ) {
    seen.add(address);
    const text = readFileSync(join(siteFolder, address, 'index.html'), 'utf8');
    const next = /<a rel="next" href="([^"]+)"/.exec(text)?.[1];
    address = next && new URL(next, `http://host/${address}`).pathname.slice(1);
  }
  assert.deepEqual([...seen].sort(), addresses);
});

test('printed, a page is its text', async () => {
  const { page } = await site.page('docs/methods/hmc/');
  await page.locator('#search input').waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('article h1').isVisible());
  for (const part of ['#header', '#footer', '.tools', '.pages', '.neighbours', '.copy']) {
    assert.ok(await page.locator(part).first().isHidden(), part);
  }
});

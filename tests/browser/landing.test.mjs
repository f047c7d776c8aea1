import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import {
  assertFits,
  openSite,
  PATIENCE_MS,
  pixelsOf,
  press,
  sitePages,
} from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('the landing page loads without an error, a failed or a foreign request', async () => {
  const { page, problems } = await site.page('');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.preview canvas').first().waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(problems, []);
});

test('the landing page leads to a lab', async () => {
  const { page } = await site.page('');
  await page.getByRole('article').getByRole('link', { name: 'Ising: learn' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ising: learn' }).waitFor();
  assert.match(page.url(), /\/labs\/ising-learn\//);
  assert.equal(await page.title(), 'Ising: learn · unnorm');
});

test('three paths begin on the landing page, and every link of them leads somewhere', async () => {
  const { page } = await site.page('');
  const paths = page.getByRole('region', { name: 'Where to begin' });
  assert.deepEqual(await paths.getByRole('heading').allTextContents(), [
    'I want to use it',
    'I want to understand it',
    'Show me the evidence',
  ]);
  const addresses = await paths
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.href));
  assert.ok(addresses.length >= 8);
  for (const address of addresses) {
    assert.equal((await fetch(address)).status, 200, address);
  }
  await paths.getByRole('button', { name: 'Copy' }).click();
  await paths.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
  assert.equal(
    await page.evaluate(() => navigator.clipboard.readText()),
    `npm install ${JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).name}`,
  );
});

test('every lab is on the landing page once, in a group with a question', async () => {
  const { page } = await site.page('');
  await page.locator('.group').first().waitFor();
  const groups = await page.locator('.group').evaluateAll((all) =>
    all.map((group) => ({
      question: group.querySelector('h2').textContent,
      slugs: [...group.querySelectorAll('article a')].map((a) => a.pathname.split('/').at(-2)),
      lines: [...group.querySelectorAll('.line')].map((line) => line.textContent),
    })),
  );
  for (const { question, slugs, lines } of groups) {
    assert.match(question, /\?$/);
    assert.ok(slugs.length > 0, question);
    for (const line of lines) assert.ok(line.length >= 20 && line.length <= 80, line);
  }
  const labs = sitePages()
    .filter((path) => /^labs\/[^/]+\/$/.test(path))
    .map((path) => path.split('/')[1]);
  assert.deepEqual(groups.flatMap(({ slugs }) => slugs).sort(), labs.sort());
});

/** The lattice of the landing page. */
function latticeOf(page) {
  const region = page.getByRole('region', { name: 'A lattice of spins to heat and cool' });
  return {
    region,
    picture: region.getByRole('img'),
    slider: region.getByRole('slider', { name: 'Temperature' }),
  };
}

/** Waits until the share of neighbours of unlike colour is within bounds: 0.15 at the transition, 0.36 at T = 4. */
async function untilUnlike(page, atLeast, atMost) {
  await page.waitForFunction(
    ([least, most]) => {
      const canvas = document.querySelector('.lattice canvas');
      const { width, height } = canvas;
      const copy = new OffscreenCanvas(width, height).getContext('2d');
      copy.drawImage(canvas, 0, 0);
      const pixels = new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
      let unlike = 0;
      for (let n = 0; n < pixels.length - 1; n++) unlike += Number(pixels[n] !== pixels[n + 1]);
      const share = unlike / pixels.length;
      return share >= least && share <= most;
    },
    [atLeast, atMost],
    { timeout: PATIENCE_MS },
  );
}

const jobsOf = async ({ region }) => Number(await region.getAttribute('data-jobs'));

async function untilJobs(page, more) {
  await page.waitForFunction(
    (least) => Number(document.querySelector('.lattice').dataset.jobs) > least,
    more,
    { timeout: PATIENCE_MS },
  );
}

/** Lets the page draw as many frames as several jobs of the lattice last. */
function manyFrames(page) {
  return page.evaluate(async () => {
    for (let n = 0; n < 60; n++) await new Promise(requestAnimationFrame);
  });
}

test('the pointer heats and cools the lattice, which is critical without it', async () => {
  const { page, problems } = await site.page('');
  const { picture, slider } = latticeOf(page);
  await picture.waitFor();
  const text = () => slider.getAttribute('aria-valuetext');
  assert.equal(await text(), '2.269 J/k, critical');
  const { width, height } = await picture.boundingBox();
  await picture.hover({ position: { x: width - 3, y: height / 2 } });
  assert.match(await text(), /^3\.9\d\d J\/k$/);
  await untilUnlike(page, 0.3, 0.45);
  await page
    .locator('.lattice output')
    .filter({ hasText: /^[+−]?0\.0\d$/ })
    .waitFor();
  await picture.hover({ position: { x: 3, y: height / 2 } });
  assert.match(await text(), /^1\.0\d\d J\/k$/);
  await untilUnlike(page, 0, 0.08);
  await page.mouse.move(2, 2);
  await page.locator('[aria-valuetext="2.269 J/k, critical"]').waitFor();
  await untilUnlike(page, 0.1, 0.2);
  assert.match(
    await picture.getAttribute('aria-label'),
    /at T = 2\.27 J\/k.*Magnetization [+−]?0\.\d\d per spin/,
  );
  assert.deepEqual(problems, []);
});

test('keys heat and cool the lattice', async () => {
  const { page } = await site.page('');
  const { region, slider } = latticeOf(page);
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await slider.getAttribute('aria-valuetext'), /^2\.3\d\d J\/k$/);
  await page.keyboard.press('End');
  assert.equal(await slider.getAttribute('aria-valuetext'), '4.000 J/k');
  await untilUnlike(page, 0.3, 0.45);
  await page.keyboard.press('Home');
  assert.equal(await slider.getAttribute('aria-valuetext'), '1.000 J/k');
  await untilUnlike(page, 0, 0.08);
  await region.getByRole('button', { name: /^Tc/ }).press('Enter');
  assert.equal(await slider.getAttribute('aria-valuetext'), '2.269 J/k, critical');
});

test('who wants less motion sees a still lattice until it is played', async () => {
  const { page } = await site.page('', { reducedMotion: 'reduce' });
  const lattice = latticeOf(page);
  await lattice.picture.waitFor();
  const still = await pixelsOf(page, 'The lattice of the landing page');
  await manyFrames(page);
  assert.equal(await jobsOf(lattice), 0);
  assert.equal(await pixelsOf(page, 'The lattice of the landing page'), still);
  await press(page, 'Play');
  await untilJobs(page, 3);
  assert.notEqual(await pixelsOf(page, 'The lattice of the landing page'), still);
  await press(page, 'Pause');
  const jobs = await jobsOf(lattice);
  const paused = await pixelsOf(page, 'The lattice of the landing page');
  await manyFrames(page);
  assert.equal(await jobsOf(lattice), jobs);
  assert.equal(await pixelsOf(page, 'The lattice of the landing page'), paused);
});

test('a lattice out of view computes nothing', async () => {
  const { page } = await site.page('');
  const lattice = latticeOf(page);
  await untilJobs(page, 1);
  await page.locator('.group').last().scrollIntoViewIfNeeded();
  await page.evaluate(
    () =>
      new Promise((out) => {
        new IntersectionObserver(([entry]) => !entry.isIntersecting && out()).observe(
          document.querySelector('.lattice .picture'),
        );
      }),
  );
  const jobs = await jobsOf(lattice);
  await manyFrames(page);
  assert.equal(await jobsOf(lattice), jobs);
  await lattice.picture.scrollIntoViewIfNeeded();
  await untilJobs(page, jobs);
});

test('a browser that cannot compute keeps the picture, and says why', async () => {
  const { page } = await site.page('', {
    setUp: () => {
      delete globalThis.WebAssembly;
    },
  });
  const { region, picture } = latticeOf(page);
  await region.getByRole('alert').filter({ hasText: 'The lattice stands still:' }).waitFor();
  await picture.waitFor();
  await region.getByRole('button', { name: 'Play' }).waitFor();
});

test('on a phone the landing page is short, and its rows of cards scroll by keyboard', async () => {
  const height = 844;
  const { page } = await site.page('', { viewport: { width: 390, height }, hasTouch: true });
  await page.locator('.group').last().waitFor();
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  assert.ok(whole < 3.6 * height, `${whole} px`);
  for (const row of await page.locator('.group .cards').all()) {
    const last = row.getByRole('link').last();
    await last.focus();
    const { x, width } = await last.boundingBox();
    assert.ok(x >= 0 && x + width <= 390, 'the card with the focus is in view');
  }
  assert.ok(
    await page
      .locator('.group .cards')
      .first()
      .evaluate((row) => row.scrollLeft > 100),
  );
});

test('a finger heats the lattice', async () => {
  const { page } = await site.page('', { viewport: { width: 390, height: 844 }, hasTouch: true });
  const { picture, slider } = latticeOf(page);
  await picture.waitFor();
  await page.evaluate(() => {
    globalThis.texts = [];
    const slider = document.querySelector('.lattice input');
    new MutationObserver(() => globalThis.texts.push(slider.ariaValueText)).observe(slider, {
      attributes: true,
      attributeFilter: ['aria-valuetext'],
    });
  });
  const { x, y, width, height } = await picture.boundingBox();
  await page.touchscreen.tap(x + width - 3, y + height / 2);
  await page.waitForFunction(() => globalThis.texts.some((text) => text.startsWith('3.9')));
  assert.equal(await slider.getAttribute('aria-valuetext'), '2.269 J/k, critical');
});

test('nothing sticks out of the landing page on the narrowest screens', async () => {
  const { page } = await site.page('', { viewport: { width: 320, height: 640 } });
  await page.locator('.group').last().scrollIntoViewIfNeeded();
  await page.locator('.preview canvas').first().waitFor();
  await assertFits(page, '320 px');
});

test('the header leads from a lab back to the landing page', async () => {
  const { page } = await site.page('labs/ising-learn/');
  await page.getByRole('banner').getByRole('link', { name: 'unnorm' }).click();
  await page.getByRole('heading', { level: 1, name: /up to a constant/ }).waitFor();
  assert.equal(page.url(), site.url);
});

test('every page has a strict content security policy', async () => {
  for (const path of ['', 'labs/ising-learn/']) {
    const { page } = await site.page(path);
    const policy = await page
      .locator('meta[http-equiv="Content-Security-Policy"]')
      .getAttribute('content');
    assert.match(policy, /default-src 'self'/);
    assert.match(policy, /script-src 'self' 'wasm-unsafe-eval' 'sha256-[^']+' 'sha256-[^']+';/);
    // The policy is in force: a script from elsewhere in the page does not run.
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.intruder = true';
      document.body.append(script);
      return globalThis.intruder === true;
    });
    assert.equal(ran, false);
  }
});

test('the theme follows the system until it is switched, and the choice is kept', async () => {
  const { page } = await site.page('', { colorScheme: 'dark' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const themeSwitch = page.getByRole('button', { name: 'Dark theme' });
  const dark = await ground();
  assert.equal(await themeSwitch.getAttribute('aria-pressed'), 'true');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('[data-theme="light"]').waitFor({ state: 'attached' });
  const light = await ground();
  assert.notEqual(light, dark);
  await themeSwitch.click();
  assert.equal(await ground(), dark);
  await page.reload();
  assert.equal(await ground(), dark);
  await themeSwitch.click();
  assert.equal(await ground(), light);
});

/**
 * Every chapter of the course on the built site: its figures come, its questions answer, it takes ten to fifteen minutes,
 * and it prints. That pages fit their windows and that axe finds nothing is in pages.test.mjs and accessibility.test.mjs,
 * that code runs in docs-code.test.mjs; what a figure shows, in the test of its chapter.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { siteFolder } from '../../src/tools/build.mjs';
import { openSite, sitePages, violationsOf } from './site-under-test.mjs';

const chapters = sitePages().filter((path) => /^docs\/course\/./.test(path));

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

/** Nothing is wider than a sheet of paper. */
async function assertFitsPaper(page) {
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { scrollWidth, clientWidth };
  });
  assert.ok(scrollWidth <= clientWidth, `${scrollWidth} of ${clientWidth}`);
}

test('the first page of the course has a link to every chapter', () => {
  const html = readFileSync(join(siteFolder, 'docs/course/index.html'), 'utf8');
  const main = html.slice(html.indexOf('<article>'), html.indexOf('</article>'));
  for (const path of chapters) {
    assert.ok(main.includes(`href="../../${path}"`), path);
  }
});

for (const path of chapters) {
  test(`figures come, and every answer has its reply: ${path}`, async () => {
    const { page, problems } = await site.page(path);
    const minutes = await page.locator('.reading-time').textContent();
    const time = Number(/^About (\d+) minutes$/.exec(minutes)?.[1]);
    assert.ok(time >= 10 && time <= 15, minutes);

    const figures = page.locator('[data-figure]');
    const numFigures = await figures.count();
    assert.ok(numFigures >= 2, `${numFigures} figures`);
    for (let n = 0; n < numFigures; n++) {
      const figure = figures.nth(n);
      await figure.scrollIntoViewIfNeeded();
      await figure.and(page.locator('[data-state="live"]')).waitFor();
      await figure.locator('.reading').filter({ hasText: /\S/ }).first().waitFor();
    }

    const questions = page.locator('form[data-question]');
    const numQuestions = await questions.count();
    assert.ok(numQuestions >= 2, `${numQuestions} questions`);
    for (let n = 0; n < numQuestions; n++) {
      const question = questions.nth(n);
      const verdicts = [];
      for (const choice of await question.getByRole('radio').all()) {
        await choice.check();
        const reply = await question.getByRole('status').textContent();
        verdicts.push(/^Right\. \S/.test(reply));
        assert.match(reply, /^(Right|Not quite)\. \S/);
      }
      assert.equal(verdicts.filter(Boolean).length, 1, `question ${n + 1}: ${verdicts}`);
    }
    assert.deepEqual(await violationsOf(page), []);
    await assertFitsPaper(page);
    assert.deepEqual(problems, []);
  });
}

test('a question can be answered from the keyboard', async () => {
  const { page } = await site.page(chapters[0]);
  const question = page.locator('form[data-question]').first();
  await question.getByRole('radio').first().focus();
  await page.keyboard.press('Space');
  const first = await question.getByRole('status').textContent();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await question.getByRole('status').textContent(), first);
});

test('without a script a question has its answer below it, and a figure its caption', async () => {
  const { page } = await site.page(chapters[0], { javaScriptEnabled: false });
  const question = page.locator('form[data-question]').first();
  await question.getByText('Answer', { exact: true }).click();
  await question.locator('.answer p').first().waitFor();
  await page.locator('[data-figure] figcaption').first().waitFor();
});

test('on paper all figures are there, though nobody has scrolled to them', async () => {
  const { page } = await site.page(chapters[0]);
  await page.locator('[data-figure][data-state="live"]').first().waitFor();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.waitForFunction(
    () => !document.querySelector('[data-figure]:not([data-state="live"])'),
  );
  await assertFitsPaper(page);
});

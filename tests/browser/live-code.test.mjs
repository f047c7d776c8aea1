/**
 * Live code: every block of the documentation that can run on its page does, also when it was edited, and what is printed
 * is what the page says. `live-sandbox.test.mjs` has hostile code.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { agrees, blocksOf, documents } from '../node/docs-code.mjs';
import {
  edit,
  failure,
  figuresOf,
  GUIDE,
  printed,
  run,
  statusOf,
  untilLive,
} from './live-blocks.mjs';
import { openSite, press, violationsOf } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(async () => {
  await site?.close();
});

/** The lines of a block that say what they print, with what they say. */
function sayings({ code }) {
  return code.split('\n').flatMap((line) => {
    const words = /console\.log\(.*\); \/\/ (.+)$/.exec(line)?.[1];
    return words ? words.split(', then ') : [];
  });
}

const addressOf = (file) => file.replace(/^www\//, '').replace(/(^docs\/)index\.md$|\.md$/, '$1');

for (const file of documents().filter((name) => name.startsWith('www/docs/'))) {
  const blocks = blocksOf(file).filter(
    ({ language, browser, why, code }) =>
      (language === 'js' || language === 'ts') &&
      !browser &&
      !why &&
      !/'node:|moduleUrl\(/.test(code),
  );
  if (blocks.length === 0) continue;
  test(`every block runs on its page, edited: ${file}`, async () => {
    const { page, problems } = await site.page(`${addressOf(file)}/`.replace('docs//', 'docs/'));
    const figures = figuresOf(page);
    await figures.first().getByRole('button', { name: 'Run' }).waitFor();
    assert.equal(await figures.count(), blocks.length);
    for (const [n, block] of blocks.entries()) {
      const figure = figures.nth(n);
      const isLast = !blocks[n + 1]?.continues;
      const mark = `\nglobalThis.marks = [...(globalThis.marks ?? []), ${n}];\n`;
      await edit(page, figure, isLast ? `${mark}console.log('marks', marks.join());` : mark, {
        append: true,
      });
      if (!isLast) continue;
      // All the blocks of the program run, and the last one prints.
      const lines = await run(figure);
      assert.equal(
        await statusOf(figure).getAttribute('data-live-status'),
        'done',
        await figure.textContent(),
      );
      const first = blocks.findLastIndex((one, at) => at <= n && !one.continues);
      const marks = Array.from({ length: n + 1 - first }, (_, at) => first + at);
      assert.ok(lines.includes(`marks ${marks.join()}`), lines.join('\n'));
      let at = 0;
      for (const words of sayings(block)) {
        const found = lines.findIndex((line, place) => place >= at && agrees(line, words));
        assert.ok(found >= 0, `${block.where} prints “${lines.join('\n')}”, and says “${words}”`);
        at = found + 1;
      }
      await figure.getByRole('button', { name: 'Reset' }).click();
    }
    assert.deepEqual(problems, []);
  });
}

test('what does not run on a page says why', async () => {
  const { page } = await site.page('docs/guides/recipes/');
  const spikes = page.locator('figure.code', { hasText: "from 'node:fs/promises'" }).first();
  await spikes.getByText('It reads files or processes, as Node can and a page cannot.').waitFor();
  assert.equal(await spikes.getByRole('button', { name: 'Run' }).count(), 0);
});

test('a block goes on with those before it, as they are now, and alone prints', async () => {
  const { page } = await site.page('docs/guides/fit/');
  const [first, second] = [figuresOf(page).nth(0), figuresOf(page).nth(1)];
  await edit(page, first, "const answer = 41;\nconsole.log('before');");
  await edit(page, second, 'console.log(answer + 1);');
  assert.deepEqual(await run(second), ['42']);
  assert.deepEqual(await printed(first), []);
  await edit(page, first, 'const answer = 1;\n\nthrow new RangeError("no answer");');
  await run(second);
  assert.equal((await failure(second)).trim(), 'Line 3 of the block before: RangeError: no answer');
});

test('output is as in Node: values, tables, variables, errors with their line', async () => {
  const { page } = await site.page(GUIDE);
  const block = figuresOf(page).first();
  const cases = [
    [
      "console.log('%d of', 3, [1, { a: 'b' }], new Float64Array(2), null)",
      ["3 of [ 1, { a: 'b' } ] Float64Array(2) [ 0, 0 ] null"],
    ],
    ['const a = await Promise.resolve(2);\na * 21', ['42']],
    [
      "import { readNpy as read } from 'unnorm';\nimport * as formats from 'unnorm/formats';\nexport const f = typeof read;\nf + typeof formats.readNpy",
      ["'functionfunction'"],
    ],
    ["const { packValues } = await import('unnorm/formats');\ntypeof packValues", ["'function'"]],
    ["void setTimeout(() => console.log('late'), 1);", ['late']],
    [
      "console.group('one');\nconsole.log('two\\nthree');\nconsole.groupEnd();\nconsole.log('four')",
      ['one', '  two\n  three', 'four'],
    ],
  ];
  for (const [code, expected] of cases) {
    await edit(page, block, code);
    assert.deepEqual(await run(block), expected, code);
  }
  const failing = [
    ['let x = 1;\n\nx = y;', 'Line 3: ReferenceError: y is not defined'],
    [
      'let x = 1;\nlet x = 2;',
      "Line 2: Uncaught SyntaxError: Identifier 'x' has already been declared",
    ],
    [
      "import { nothing } from 'unnorm';",
      'Line 1: Error: The module “unnorm” has no export “nothing”.',
    ],
    [
      "import 'lodash';",
      'Line 1: Error: There is no module “lodash” here. What can be imported is unnorm, unnorm/inline, unnorm/formats.',
    ],
    [
      'import { createEngine } from \'unnorm\';\nconst engine = await createEngine();\n\nawait engine.exact({ model: { kind: "ising", dim: 0 } });',
      /^Line 4: UnnormError: model/,
    ],
    [
      '\nPromise.reject(new Error("nobody looks")); setTimeout(() => 0, 1e6);',
      'Line 2: Error: nobody looks',
    ],
    ['plot({ y: [1, 2], x: [1] })', 'Line 1: TypeError: plot: “y” has 2 values for 1 of x.'],
    [
      'plot({ y: Object.fromEntries([..."abcdefg"].map((name) => [name, [1]])) })',
      'Line 1: TypeError: plot: y has 7 curves; it must be 1 to 6.',
    ],
    [
      'plot({ matrix: [1, 2, 3] })',
      'Line 1: TypeError: plot: a matrix is square, of 1 to 400 rows; this has 3 numbers.',
    ],
    [
      [
        "import { createEngine, moduleUrl } from 'unnorm';",
        'const engine = await createEngine();',
        "const url = moduleUrl('export default (x, energy) => energy.fill(0)');",
        "await engine.sample({ model: { kind: 'custom', dim: 1, url }, transition: { kind: 'nuts' } });",
      ].join('\n'),
      /^Line 4: UnnormError: model.url: the module .* could not be loaded/,
    ],
  ];
  for (const [code, expected] of failing) {
    await edit(page, block, code);
    await run(block);
    const words = (await failure(block)).trim();
    if (expected instanceof RegExp) assert.match(words, expected);
    else assert.equal(words, expected);
  }
  await edit(
    page,
    block,
    "console.table([{ a: 1, b: 'x' }, { a: 2 }]);\nconst seen = [1, 2];\nconst f = () => 1;",
  );
  await run(block);
  assert.deepEqual(await block.locator('table tr').allInnerTexts(), [
    '(index)\ta\tb',
    "0\t1\t'x'",
    '1\t2\t',
  ]);
  assert.deepEqual(await block.locator('dl > *').allTextContents(), ['seen', '[ 1, 2 ]']);
  await edit(page, block, 'console.log("<img src=x onerror=alert(1)>")');
  assert.deepEqual(await run(block), ['<img src=x onerror=alert(1)>']);
  assert.equal(await block.locator('.output img').count(), 0);
});

test('plots are drawn, and axe finds nothing wrong with code that is edited and has run', async () => {
  const { page } = await site.page(GUIDE, { bypassCSP: true });
  const [hills, table] = [figuresOf(page).nth(0), figuresOf(page).nth(1)];
  await run(hills);
  assert.match(await hills.locator('canvas').getAttribute('aria-label'), /^Draws from two hills/);
  await edit(
    page,
    hills,
    "plot({ matrix: [[1, -1], [0, 2]], title: 'Four' });\nplot([1, 4, 9]);\nnothing;",
  );
  await run(hills);
  await run(table);
  assert.equal(await hills.locator('canvas').count(), 2);
  await page.getByRole('button', { name: 'Link' }).waitFor();
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    assert.deepEqual(await violationsOf(page), [], theme);
  }
});

test('without a script a block is as it was', async () => {
  const { page } = await site.page(GUIDE, { javaScriptEnabled: false });
  assert.ok(await figuresOf(page).first().locator('pre').isVisible());
  assert.equal(await page.getByRole('button').count(), 0);
});

test('from the keyboard: an editor is left by Tab, and Control and Enter run', async () => {
  const { page } = await site.page(GUIDE);
  const block = figuresOf(page).first();
  await block.getByRole('button', { name: 'Edit' }).focus();
  await page.keyboard.press('Enter');
  await block.locator('.cm-focused').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('6 * 7');
  await page.keyboard.press('Control+Enter');
  await untilLive(block, 'done');
  assert.deepEqual(await printed(block), ['42']);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Run');
});

test('a long job shows how far it is, and Stop ends it', async () => {
  const { page } = await site.page(GUIDE);
  const block = figuresOf(page).first();
  await edit(
    page,
    block,
    [
      "import { createEngine } from 'unnorm';",
      'const engine = await createEngine();',
      'const plan = { numChains: 4, numWarmup: 100, numDraws: 1e6, seed: 1 };',
      "await engine.sample({ model: { kind: 'ring' }, transition: { kind: 'nuts' }, ...plan });",
    ].join('\n'),
  );
  await block.getByRole('button', { name: 'Run', exact: true }).click();
  await block.getByText('Running: sample').waitFor();
  await block.getByRole('progressbar', { name: 'Progress' }).waitFor();
  await block.getByRole('button', { name: 'Stop' }).click();
  await untilLive(block, 'stopped');
  assert.equal(page.frames().length, 1);
});

test('a link has the changed code, and runs nothing by itself', async () => {
  const { page, context } = await site.page(GUIDE);
  const block = figuresOf(page).nth(1);
  const code = '// Grüße, 𝛽\nconsole.log("from the link");';
  await edit(page, block, code);
  await block.getByRole('button', { name: 'Link' }).and(page.locator(':enabled')).click();
  await block.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#code=2\.[\w-]+$/);

  const { page: second } = await site.page(link.slice(site.url.length), { context });
  const shown = figuresOf(second).nth(1);
  await shown.getByText('This code came with the link.').waitFor();
  await shown.locator('.cm-content').waitFor();
  assert.equal(
    await shown
      .locator('.cm-line')
      .allTextContents()
      .then((all) => all.join('\n')),
    code,
  );
  assert.equal(second.frames().length, 1);
  assert.equal(await statusOf(shown).getAttribute('data-live-status'), 'ready');
  assert.deepEqual(await run(shown), ['from the link']);
  // The same while the editor is open.
  await edit(second, shown, 'console.log("of mine");');
  await second.evaluate((hash) => {
    location.hash = '';
    location.hash = hash;
  }, new URL(link).hash);
  await shown.locator('.cm-line', { hasText: 'from the link' }).waitFor();
  await press(second, 'Reset');
  assert.equal(await shown.getByText('This code came with the link.').count(), 0);

  // A short link that would become ten megabytes, and one that was cut off.
  const bomb = await page.evaluate(async () => {
    const stream = new Blob(['x'.repeat(1e7)])
      .stream()
      .pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  });
  for (const [hash, words] of [
    [`#code=1.${bomb}`, 'The code in the link is longer than 100000 characters.'],
    [`${new URL(link).hash.slice(0, -9)}`, 'it may have been cut off'],
    ['#code=1.<b>', 'The code in the link cannot be read.'],
  ]) {
    const { page: third } = await site.page(GUIDE + hash, { context });
    await third.getByRole('alert').filter({ hasText: words }).waitFor();
    await third.close();
  }
});

test('the code of labs runs below it, with the files of the site, and is shared on the page for it', async () => {
  const { page, problems } = await site.page('labs/ising-race/#data=glass&rows=300&seed=1');
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'The code' }) });
  await edit(page, section, "\nconsole.log('of the lab');", { append: true });
  const lines = await run(section);
  assert.equal(
    await statusOf(section).getAttribute('data-live-status'),
    'done',
    await section.textContent(),
  );
  assert.ok(lines.includes('of the lab'));
  await section.getByRole('button', { name: 'Link' }).and(page.locator(':enabled')).click();
  await section.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${site.url}${GUIDE}#code=1.`), link);
  assert.deepEqual(problems, []);
});

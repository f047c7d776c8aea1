/**
 * Live code: every block of the documentation that can run on its page does, also when it was edited; what is printed is
 * what the page says; and hostile code reaches nothing, and holds up nobody.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { agrees, blocksOf, documents } from '../node/docs-code.mjs';
import { openSite, press, violationsOf } from './site-under-test.mjs';

const GUIDE = 'docs/guides/live-code/';

let site;
/** Another host, which notes what it is asked. */
let stranger;
const asked = [];
before(async () => {
  site = await openSite();
  stranger = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(200, {
      'Access-Control-Allow-Origin': '*',
      'Content-Type': 'text/javascript',
    });
    response.end('export default 1;');
  });
  await new Promise((resolve) => stranger.listen(0, 'localhost', resolve));
});
afterEach(() => site?.closePages());
after(async () => {
  await site?.close();
  stranger?.closeAllConnections();
  stranger?.close();
});

const figuresOf = (page) => page.locator('figure.code[data-live]');

/** Puts code in place of that of a block, or what `change` makes of it, in its editor. */
async function edit(page, block, code, { append = false } = {}) {
  const button = block.getByRole('button', { name: 'Edit', exact: true });
  if (await button.isVisible()) await button.click();
  await block.locator('.cm-content').focus();
  await page.keyboard.press(append ? 'Control+End' : 'Control+A');
  await page.keyboard.insertText(code);
}

const statusOf = (block) => block.locator('[data-live-status]');

async function untilLive(block, ...statuses) {
  const any = statuses.map((status) => `[data-live-status="${status}"]`).join(', ');
  await block.locator(any).waitFor({ state: 'attached' });
}

/** Runs a block to its end and gives what it printed, a text an entry. */
async function run(block) {
  await block.getByRole('button', { name: 'Run', exact: true }).click();
  await untilLive(block, 'done', 'failed');
  return printed(block);
}

const printed = (block) => block.locator('[role="log"] pre').allTextContents();
const failure = (block) => block.locator('.failure').textContent();

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

/** Tries everything that a program could want of its surroundings, and prints what came of it. */
const probe = (home, other) => `
const tries = {
  indexedDB: () => new Promise((yes, no) => { const r = indexedDB.open('x'); r.onsuccess = yes; r.onerror = () => no(r.error); }),
  caches: () => caches.open('x'),
  localStorage: () => localStorage.getItem('theme'),
  cookie: () => document.cookie,
  files: () => navigator.storage.getDirectory(),
  cookieStore: () => cookieStore.getAll(),
  parent: () => parent.document,
  top: () => { top.location = '${other}'; },
  open: () => open('${other}'),
  post: () => postMessage('x'),
  eval: () => eval('1'),
  Function: () => new Function('return 1')(),
  fetchHome: () => fetch('${home}'),
  fetchOther: () => fetch('${other}fetch'),
  nativeFetch: async () => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('${other}nested').then(() => postMessage('reached'), () => postMessage('refused'))"]))); const said = await new Promise((yes) => { w.onmessage = (e) => yes(e.data); w.onerror = () => yes('refused'); }); if (said !== 'reached') throw new Error(said); },
  request: () => { const r = new XMLHttpRequest(); r.open('GET', '${other}xhr', false); r.send(); },
  socket: () => new Promise((yes, no) => { const s = new WebSocket('${other.replace('http', 'ws')}'); s.onopen = yes; s.onerror = () => no(new Error('refused')); }),
  events: () => new Promise((yes, no) => { const s = new EventSource('${other}events'); s.onopen = yes; s.onerror = () => { s.close(); no(new Error('refused')); }; }),
  importScripts: () => importScripts('${other}script'),
  worker: () => new Promise((yes, no) => { const w = new Worker('${other}worker'); w.onmessage = yes; w.onerror = () => no(new Error('refused')); }),
  moduleWorker: () => new Promise((yes, no) => { const w = new Worker(URL.createObjectURL(new Blob(["import '${other}module'; postMessage(1)"])), { type: 'module' }); w.onmessage = yes; w.onerror = () => no(new Error('refused')); }),
};
new BroadcastChannel('live').postMessage('heard');
for (const [name, attempt] of Object.entries(tries)) {
  try { await attempt(); console.log(name, 'REACHED'); } catch { console.log(name, 'refused'); }
}
// Past what rewrites imports of the program itself.
try { await (0, Object.getPrototypeOf(async () => {}).constructor)("return import('${other}constructed')")(); console.log('constructed REACHED'); } catch { console.log('constructed refused'); }
`;

test('hostile code reaches no storage, no page and no network', async () => {
  const other = `http://localhost:${stranger.address().port}/`;
  const { page, context } = await site.page(GUIDE);
  await page.evaluate(() => {
    localStorage.setItem('theme', 'dark');
    globalThis.heard = [];
    new BroadcastChannel('live').onmessage = ({ data }) => globalThis.heard.push(data);
  });
  const block = figuresOf(page).first();
  await edit(page, block, probe(site.url, other));
  const lines = await run(block);
  assert.equal(lines.length, 22, `${lines.join('\n')}\n${await block.textContent()}`);
  assert.deepEqual(
    lines.filter((line) => !line.endsWith(' refused')),
    [],
  );
  assert.deepEqual(await page.evaluate(() => globalThis.heard), []);
  assert.deepEqual(asked, []);
  assert.equal(page.url(), site.url + GUIDE);
  assert.equal(context.pages().length, 1);
});

test('the frame itself has no origin, and reaches nothing either', async () => {
  const other = `http://localhost:${stranger.address().port}/`;
  const { page } = await site.page(GUIDE);
  const block = figuresOf(page).first();
  await edit(page, block, 'setInterval(() => 0, 1000);');
  await block.getByRole('button', { name: 'Run', exact: true }).click();
  await untilLive(block, 'running');
  const frame = page.frames().find((one) => one !== page.mainFrame());
  await frame.waitForFunction(() => document.readyState === 'complete');
  const picture = await page.evaluate(() => document.querySelector('link[rel="icon"]').href);
  const reached = await frame.evaluate(
    async ([address, home]) => {
      const load = (url) =>
        new Promise((resolve, reject) => {
          Object.assign(new Image(), { src: url, onload: resolve, onerror: reject });
        });
      const tries = {
        localStorage: () => localStorage.length,
        cookie: () => document.cookie,
        parent: () => parent.document.title,
        navigates: () => {
          top.location.href = address;
        },
        opens: () => {
          if (!open(address)) throw new Error('refused');
        },
        fetch: () => fetch(`${address}frame`),
        script: () =>
          new Promise((resolve, reject) => {
            const script = document.createElement('script');
            Object.assign(script, { src: `${address}script`, onload: resolve, onerror: reject });
            document.head.append(script);
          }),
        picture: () => load(`${address}picture`),
        // The policy of the page would let this one pass.
        pictureOfThisSite: () => load(home),
        inline: () => {
          const script = document.createElement('script');
          script.textContent = 'globalThis.ran = true';
          document.head.append(script);
          if (!globalThis.ran) throw new Error('refused');
        },
      };
      const found = [self.origin === 'null' ? [] : [self.origin]];
      for (const [name, attempt] of Object.entries(tries)) {
        try {
          await attempt();
          found.push(name);
        } catch {}
      }
      return found.flat();
    },
    [other, picture],
  );
  assert.deepEqual(reached, []);
  assert.deepEqual(asked, []);
  assert.equal(page.url(), site.url + GUIDE);
  await block.getByRole('button', { name: 'Stop' }).click();
  await untilLive(block, 'stopped');
  assert.equal(page.frames().length, 1);
});

test('an endless loop is said to be busy, the page goes on, and Stop ends it', async () => {
  const { page } = await site.page(GUIDE);
  const [block, next] = [figuresOf(page).nth(0), figuresOf(page).nth(1)];
  await edit(page, block, 'for (;;);');
  await block.getByRole('button', { name: 'Run', exact: true }).click();
  await untilLive(block, 'busy');
  await block.getByText('Busy: the code does not answer.').waitFor();
  await block.getByRole('button', { name: 'Stop' }).click();
  await untilLive(block, 'stopped');
  assert.equal(page.frames().length, 1);
  // Also when another block is run.
  await block.getByRole('button', { name: 'Run', exact: true }).click();
  await untilLive(block, 'running');
  await run(next);
  await untilLive(block, 'stopped');
  assert.equal(page.frames().length, 1);
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

test('a flood of output is cut, and one past the console ends the program', async () => {
  const { page } = await site.page(GUIDE);
  const block = figuresOf(page).first();
  await edit(page, block, 'for (let n = 0; n < 50_000; n++) console.log(n);');
  const lines = await run(block);
  assert.equal(lines.length, 1000);
  await block.getByText('49,000 more lines are left out.').waitFor();
  await edit(page, block, "console.log('x'.repeat(1e8)); console.log('y'.repeat(1e6)); ");
  const long = await run(block);
  assert.ok(long.join('').length <= 200_000, `${long.join('').length} characters`);
  for (const flood of [
    'for (;;) liveRuntime.variables({ a: 1 });',
    "for (;;) liveRuntime.variables(Object.fromEntries(Array.from({ length: 200 }, (_, n) => ['v' + n, 'x'.repeat(150)])));",
  ]) {
    await edit(page, block, flood);
    await run(block);
    assert.equal((await failure(block)).trim(), 'It was stopped: it sent more than a page takes.');
    assert.equal(page.frames().length, 1);
  }
});

test('a gigabyte, and the end of the process, stay within the frame', async () => {
  const { page, context } = await site.page(GUIDE);
  const block = figuresOf(page).first();
  await edit(page, block, 'const much = new Uint8Array(2 ** 30).fill(1);\nmuch.at(-1)');
  const lines = await run(block);
  // It fits, or it is refused: then the page says so.
  if (lines.length === 0) assert.match(await failure(block), /RangeError/);
  else assert.deepEqual(lines, ['1']);
  await edit(page, block, 'new ArrayBuffer(2 ** 52);');
  await run(block);
  assert.match(await failure(block), /Line 1: RangeError/);
  await edit(page, block, 'setInterval(() => 0, 1000);');
  await block.getByRole('button', { name: 'Run', exact: true }).click();
  await untilLive(block, 'running');
  const frame = page.frames().find((one) => one !== page.mainFrame());
  // The driver takes the end of any process for that of the page; the page itself is asked past it.
  const [own, its] = [await context.newCDPSession(page), await context.newCDPSession(frame)];
  const inPage = async (expression) => {
    const { result } = await own.send('Runtime.evaluate', { expression, awaitPromise: true });
    return result.value;
  };
  const until = (condition) =>
    inPage(`new Promise((resolve) => {
      const look = () => (${condition}) && resolve(true);
      new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
      look();
    })`);
  const press = (name) =>
    inPage(
      `[...live.querySelectorAll('button')].find((button) => button.textContent === '${name}').click()`,
    );
  await inPage("globalThis.live = document.querySelector('.live'); 0");
  // Never answered: who would is gone.
  its.send('Page.crash').catch(() => undefined);
  assert.ok(await until(`live.querySelector('[data-live-status="busy"]')`));
  await press('Stop');
  assert.ok(await until(`live.querySelector('[data-live-status="stopped"]')`));
  assert.equal(await inPage('document.querySelectorAll("iframe").length'), 0);
  await inPage("live.querySelector('.cm-content').textContent = '6 * 7'");
  await press('Run');
  assert.ok(await until(`live.querySelector('[data-live-status="done"]')`));
  assert.equal(await inPage("live.querySelector('.output pre').textContent"), '42');
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

/** Hostile live code: it reaches no storage, no page and no network, and holds up nobody. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { edit, failure, figuresOf, GUIDE, run, untilLive } from './live-blocks.mjs';
import { openSite } from './site-under-test.mjs';

let site;
/** Another host, which notes what it is asked. */
let stranger;
const asked = [];
before(async () => {
  site = await openSite({ whole: true });
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

/**
 * `unnorm.lab` in real notebooks, in Chromium: JupyterLab and marimo, both from PyPI.
 *
 *     npm run notebooks [-- jupyterlab|marimo]
 *
 * In each a cell makes the widget; a setting that Python changes changes the lab; one that is changed in the lab's own
 * control changes in Python; and the jobs of a run have the digests that they have in Node and in Python. Pictures of both,
 * in both themes, go to out/notebooks. Before that, all labs are tried in the page of tests/browser/notebook.test.mjs.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromiumPath } from '../../src/tools/chromium.mjs';
import { buildLabs } from '../../src/tools/notebook.mjs';
import { pythonWith } from '../../src/tools/python.mjs';
import { Failure, main, root, run, say } from '../../src/tools/run.mjs';
import { ANYWIDGET, buildWheel } from '../../src/tools/wheel.mjs';
import { launchChromium, PATIENCE_MS, untilStatus } from '../browser/site-under-test.mjs';
import { until } from '../node/until.mjs';
import { specOf } from './packed.mjs';

const pictures = join(root, 'out/notebooks');

/** Writes what Python has of the widget to a file at every change. `_packed` is for arrays in JSON. */
const NOTE = `import json
from pathlib import Path

import unnorm
from unnorm.notebook import _packed


def note(_):
    result = widget.result
    again = result and [
        unnorm.start(job["verb"], job["spec"]).result()["digest"] for job in result["jobs"]
    ]
    seen = {"settings": widget.settings, "result": _packed(result), "again": again}
    Path("seen.tmp").write_text(json.dumps(seen))
    Path("seen.tmp").replace("seen.json")
`;
const MAKE =
  'widget = unnorm.lab("ising-learn", rows=500, pattern="lattice", seed=1)\nwidget.observe(note)';
const CHANGE = 'widget.settings = {"rows": 700, "pattern": "lattice", "seed": 3}';

/** JupyterLab: the cells are run by the menu, the second by itself. */
const jupyterlab = {
  packages: ['jupyterlab==4.6.6'],
  files: {
    'lab.ipynb': JSON.stringify({
      cells: [`${NOTE}\n\n${MAKE}\nwidget`, CHANGE].map((source, n) => ({
        cell_type: 'code',
        id: `cell-${n}`,
        source,
        metadata: {},
        outputs: [],
        execution_count: null,
      })),
      metadata: {
        kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
        language_info: { name: 'python' },
      },
      nbformat: 4,
      nbformat_minor: 5,
    }),
    // It asks the network for news otherwise, and the visitor whether it may.
    '.home/.jupyter/labconfig/page_config.json': JSON.stringify({
      disabledExtensions: { '@jupyterlab/apputils-extension:announcements': true },
    }),
  },
  command: (port, folder) => [
    ...['-m', 'jupyter', 'lab', '--no-browser', '--allow-root', `--port=${port}`],
    ...[
      `--ServerApp.root_dir=${folder}`,
      '--IdentityProvider.token=',
      '--ServerApp.port_retries=0',
    ],
  ],
  address: 'lab/tree/lab.ipynb?reset',
  async show(page) {
    await page.locator('.jp-Notebook .jp-Cell').nth(1).waitFor();
    await page.getByText('Python 3 (ipykernel) | Idle').waitFor();
    await page.locator('.jp-Notebook .jp-Cell').first().locator('.cm-content').click();
    await page.keyboard.press('Shift+Enter');
  },
  async change(page) {
    await page.locator('.jp-Notebook .jp-Cell').nth(1).locator('.cm-content').click();
    await page.keyboard.press('Shift+Enter');
  },
  async darken(page) {
    await page.getByText('Settings', { exact: true }).first().click();
    await page.getByText('Theme', { exact: true }).hover();
    await page.getByText('JupyterLab Dark', { exact: true }).click();
    await page.locator('#jupyterlab-splash').waitFor({ state: 'attached' });
    await page.locator('#jupyterlab-splash').waitFor({ state: 'detached' });
  },
};

/** marimo: a button changes the settings, for its cells run by themselves. */
const marimo = {
  packages: ['marimo==0.25.2'],
  files: {
    'lab.py': `import marimo

app = marimo.App()


@app.cell
def _():
${indented(NOTE)}

${indented(MAKE)}
    widget
    return (widget,)


@app.cell
def _(widget):
    import marimo as mo

    def change(_):
        ${CHANGE}

    mo.ui.button(label="Change", on_click=change)
    return


if __name__ == "__main__":
    app.run()
`,
    '.home/marimo/marimo.toml': '[runtime]\nauto_instantiate = true\n[display]\ntheme = "system"\n',
  },
  command: (port) => [
    ...['-m', 'marimo', 'edit', '--headless', '--no-token', '--skip-update-check'],
    ...[`--port=${port}`, 'lab.py'],
  ],
  address: '',
  // Its cells run at the start.
  async show() {},
  async change(page) {
    await page.getByRole('button', { name: 'Change', exact: true }).click();
  },
  async darken(page) {
    await page.emulateMedia({ colorScheme: 'dark' });
  },
};

const notebooks = { jupyterlab, marimo };

function indented(code) {
  return code.trimEnd().replace(/^(?=.)/gm, '    ');
}

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function tryNotebook(name, python, browser) {
  const notebook = notebooks[name];
  const folder = mkdtempSync(join(tmpdir(), 'unnorm-notebook-'));
  for (const [file, text] of Object.entries(notebook.files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const home = join(folder, '.home');
  const port = await freePort();
  const server = spawn(python, notebook.command(port, folder), {
    cwd: folder,
    // Settings and histories of the person at this machine are neither read nor written.
    env: {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      XDG_STATE_HOME: home,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (log += text));
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
  try {
    const url = `http://127.0.0.1:${port}/`;
    await until(`${name} answers`, () => {
      if (server.exitCode !== null) throw new Failure(`${name} ended:\n${log}`);
      return fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const foreign = [];
    page.on('request', (request) => {
      const address = request.url();
      if (!address.startsWith(url) && /^http/.test(address)) foreign.push(address);
    });
    await page.goto(url + notebook.address);
    await notebook.show(page);
    await tryLab(name, notebook, page, folder);
    assert.deepEqual(foreign, [], `${name} asked elsewhere`);
    say(`${name}: nothing was asked of another server`);
  } catch (error) {
    mkdirSync(pictures, { recursive: true });
    for (const page of context.pages())
      await page.screenshot({ path: join(pictures, `${name}-failed.png`) });
    console.error(log.slice(-3000));
    throw error;
  } finally {
    await context.close();
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryLab(name, notebook, page, folder) {
  const element = page.locator('iframe[title$="a live lab of unnorm"]');
  const frame = element.contentFrame();
  const seen = () => {
    try {
      return JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'));
    } catch {
      return {};
    }
  };
  const untilSetting = (setting, value) =>
    until(`${name} has ${value} as ${setting}`, () => seen().settings?.[setting] === value);

  await frame.getByText(/to 500 rows/).waitFor();
  await untilSetting('data', 'glass');
  say(`${name}: the lab is there, with the settings of the cell`);

  await notebook.change(page);
  await frame.getByText(/to 700 rows/).waitFor();
  await untilSetting('seed', 3);
  say(`${name}: settings that Python changed change the lab`);

  // In a narrow column the settings are folded.
  const fold = frame.locator('button.fold');
  if (await fold.isVisible()) await fold.click();
  await frame.getByLabel('Seed', { exact: true }).fill('8');
  await frame.getByLabel('Seed', { exact: true }).blur();
  await untilSetting('seed', 8);
  say(`${name}: a setting that was changed in the lab changes in Python`);

  await frame.locator('[data-action="primary"]').click();
  await untilStatus(frame, 'done');
  await until(`${name} has a result`, () => seen().result);
  const { result, again, settings } = seen();
  assert.equal(settings.seed, 8);
  assert.equal(result.digest, await frame.locator('[data-digest]').getAttribute('data-digest'));
  assert.ok(result.jobs.some(({ digest }) => digest === result.digest));
  assert.deepEqual(
    again,
    result.jobs.map(({ digest }) => digest),
  );
  const { createEngine } = await import('unnorm');
  const engine = await createEngine();
  for (const { verb, spec, digest } of result.jobs)
    assert.equal((await engine[verb](specOf(spec))).digest, digest);
  await engine.close();
  say(`${name}: digest ${result.digest.slice(0, 16)}…, in Python and in Node too`);

  mkdirSync(pictures, { recursive: true });
  await element.scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(pictures, `${name}-light.png`) });
  await notebook.darken(page);
  await frame.locator('html[data-theme="dark"]').waitFor();
  await page.screenshot({ path: join(pictures, `${name}-dark.png`) });
  say(`${name}: the lab's theme follows the notebook's`);
}

await main(import.meta.url, async (args) => {
  const chosen = args.length === 0 ? Object.keys(notebooks) : args;
  const unknown = chosen.filter((name) => !Object.hasOwn(notebooks, name));
  if (unknown.length > 0)
    throw new Failure(`Use: npm run notebooks [-- ${Object.keys(notebooks).join(' | ')}].`);
  process.env.CHROMIUM_PATH ??= chromiumPath();
  await buildLabs();
  run(process.execPath, ['--test', 'tests/browser/notebook.test.mjs'], {
    env: { ALL_LABS: '1' },
    otherwise: 'A lab for notebooks failed (see above).',
  });
  const packages = chosen.flatMap((name) => notebooks[name].packages);
  const python = pythonWith(['numpy', ANYWIDGET, ...packages], 'target/notebooks');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  run(python, [...pip, '--force-reinstall', '--no-deps', buildWheel()]);
  const browser = await launchChromium();
  try {
    for (const name of chosen) await tryNotebook(name, python, browser);
  } finally {
    await browser.close();
  }
});

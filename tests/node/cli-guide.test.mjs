/** The commands of www/docs/guides/command-line.md, one after another in an empty folder. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installed } from './command.mjs';

const guide = new URL('../../www/docs/guides/command-line.md', import.meta.url);
const blocks = readFileSync(guide, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
const commands = [...blocks].flatMap(([, block]) => block.trim().split('\n'));

test('every command of the guide does what it should', {
  skip: process.platform === 'win32',
}, () => {
  assert.ok(commands.length >= 15, `${commands.length} commands`);
  const home = installed();
  try {
    // What npx would start, started as fast as it goes; another test starts it by npx.
    const script = join(home.folder, 'node_modules/unnorm/dist/cli/main.js');
    const printed = commands.map((command) => {
      const direct = command.replaceAll('npx unnorm', `'${process.execPath}' '${script}'`);
      const options = { cwd: home.folder, encoding: 'utf8' };
      const { status, stdout, stderr } = spawnSync('sh', ['-c', direct], options);
      assert.equal(status, 0, `${command}\n${stderr}`);
      assert.notEqual(stdout, '', command);
      return stdout;
    });
    const of = (start) => printed[commands.findIndex((command) => command.startsWith(start))];
    const digest = /[0-9a-f]{64}/;
    // The spec of a result gives the same result.
    const [first, again] = ['npx unnorm fit rbm', 'npx unnorm fit --spec'].map(of);
    assert.equal(digest.exec(again)[0], digest.exec(first)[0]);
    // 2,000 rows of six sites determine a coupling of 0.3 well enough for log Z.
    const logZ = /^logZ +(\S+)$/m;
    const exact = Number(logZ.exec(of('npx unnorm exact'))[1]);
    assert.ok(Math.abs(Number(logZ.exec(of('npx unnorm logz model'))[1]) - exact) < 0.1);
  } finally {
    home.remove();
  }
});

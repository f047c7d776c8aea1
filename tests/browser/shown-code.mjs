/** The lines of code that a lab shows, and what they print. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The lines for the settings of the lab. */
export function codeOf(page) {
  return page.getByRole('region', { name: 'Code for these settings' }).textContent();
}

/** What lines print in Node, in a folder if one is given; the package goes by the files that were built. */
export async function outputOf(code, cwd) {
  const dist = (file) => `'${new URL(`../../dist/${file}`, import.meta.url).href}'`;
  const built = code
    .replace("'unnorm'", dist('node.js'))
    .replace("'unnorm/formats'", dist('formats/index.js'));
  const args = ['--input-type=module', '-e', built];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return stdout;
}

/** What the lines that a lab shows print in Node, in a folder if one is given. */
export const outputOfCode = async (page, cwd) => outputOf(await codeOf(page), cwd);

/** Python and its packages, for comparisons with other programs: nothing of the project needs it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, output, root } from './run.mjs';

/** What is imported of a package, where that is not its name. */
const MODULES = {
  'dwave-samplers': 'dwave.samplers',
  'pytest-xdist': 'xdist',
  'scikit-learn': 'sklearn',
};

/**
 * A Python with these packages, installed from PyPI into a virtual environment where they are not
 * there yet. Throws a Failure that says why it cannot be had.
 * @param {string[]} packages names, each with a version after == where it matters
 * @param {string} folder of the environment, from the top
 */
export function pythonWith(packages, folder = 'target/peers') {
  const windows = process.platform === 'win32';
  const environment = join(root, folder);
  const python = join(environment, windows ? 'Scripts/python.exe' : 'bin/python');
  const names = packages
    .map((name) => name.replace(/==.*/, ''))
    .map((name) => MODULES[name] ?? name);
  const imports = () => output(python, ['-c', `import ${names.join(', ')}`]) !== null;
  if (!existsSync(python) || !imports()) {
    const found = ['python3', 'python'].find((name) => output(name, ['--version']) !== null);
    if (!found) throw new Failure('there is no Python');
    if (!existsSync(python) && output(found, ['-m', 'venv', environment]) === null)
      throw new Failure(`${found} could not make a virtual environment`);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    if (output(python, [...pip, ...packages], { loud: true }) === null || !imports())
      throw new Failure(`${packages.join(', ')} could not be installed from PyPI`);
  }
  return python;
}

#!/usr/bin/env node
/**
 * `npm create unnorm`: a new app in a folder of its own, with a lattice of spins that one heats. It writes files and
 * nothing else; what they need is installed by `npm install` there.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'));

/** What each template needs besides the package and Vite. */
const TEMPLATES = {
  plain: {},
  react: {
    dependencies: { react: '^19.3.1', 'react-dom': '^19.3.1' },
    devDependencies: { '@vitejs/plugin-react': '^6.3.0' },
  },
  svelte: { devDependencies: { '@sveltejs/vite-plugin-svelte': '^7.3.1', svelte: '^5.57.3' } },
};
const VITE = '^8.3.8';
const NAMES = Object.keys(TEMPLATES).join(', ');

const USAGE = `Usage: npm create unnorm@latest [folder] -- [--template NAME]

  folder       where the app is made: new, or empty (unnorm-app)
  --template   ${NAMES} (plain)
`;

/** A mistake in what was asked for. */
class Mistake extends Error {}

function parse(args) {
  try {
    const options = {
      template: { type: 'string', short: 't' },
      help: { type: 'boolean', short: 'h' },
    };
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new Mistake(error.message);
  }
}

/** Makes the app and gives the folder. */
function create(name, template) {
  if (!Object.hasOwn(TEMPLATES, template)) {
    throw new Mistake(`There is no template “${template}”; there are ${NAMES}.`);
  }
  const folder = resolve(name);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Mistake(`${folder} is not empty: name another folder.`);
  }
  mkdirSync(folder, { recursive: true });
  // A template's own files come after those of all, and in their place.
  for (const part of ['shared', template]) {
    cpSync(here(`templates/${part}`), folder, { recursive: true });
  }
  // npm leaves a file of the real name out of packages.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const { dependencies, devDependencies } = TEMPLATES[template];
  const app = {
    name: packageName(basename(folder)),
    private: true,
    version: '0.0.0',
    type: 'module',
    scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
    dependencies: { unnorm: `^${version}`, ...dependencies },
    devDependencies: { vite: VITE, ...devDependencies },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(app, null, 2)}\n`);
  return folder;
}

/** A folder's name as a name that npm takes. */
function packageName(name) {
  const kept = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return kept || 'unnorm-app';
}

try {
  const { values, positionals } = parse(process.argv.slice(2));
  if (values.help) {
    process.stdout.write(USAGE);
  } else {
    const [name = 'unnorm-app', ...rest] = positionals;
    if (rest.length > 0) throw new Mistake(`One folder is enough; what is “${rest[0]}”?`);
    create(name, values.template ?? 'plain');
    process.stdout.write(`Made ${name}. Now:\n\n  cd ${name}\n  npm install\n  npm run dev\n`);
  }
} catch (error) {
  if (!(error instanceof Mistake)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

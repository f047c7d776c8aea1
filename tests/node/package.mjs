/**
 * The package under test, as someone who installed it has it: packed and unpacked by the build.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const folder = new URL('../../out/pack/node_modules/unnorm/', import.meta.url);

/** The folder of the compiled modules, as a URL that ends in a slash. */
export const dist = new URL('./dist/', folder);

/** What `import 'unnorm'` finds in Node, by the package's own `exports`. */
export const entry = pathToFileURL(
  createRequire(new URL('./package.json', folder)).resolve('unnorm'),
);

export const { createEngine, UnnormError } = await import(entry.href);

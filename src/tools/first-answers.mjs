/**
 * The first answers of the labs: what they show before their engine is here (see www/lib/first-answers.ts). The package has
 * to be built.
 *
 *     node src/tools/first-answers.mjs    rewrites every www/labs/NAME/first-answers.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePng } from '../../tests/repro/packed/png.mjs';
import { main, root, say } from './run.mjs';

const www = join(root, 'www');
const read = (name) => readFileSync(join(www, 'data', name));

const files = {
  bytes: async (name) => new Uint8Array(read(name)),
  photograph: async (name) => {
    const { width, height, channels, pixels } = decodePng(read(`natural-${name}.png`));
    if (channels !== 1) throw new Error(`The photograph “${name}” is not in levels of grey.`);
    return { name, width, height, pixels };
  },
};

/** What every file has to hold, by its path below www: as the package of this engine answers. */
export async function firstAnswers(engine) {
  const { runnerImport } = await import('vite');
  const { module } = await runnerImport(join(www, 'build/first-answers.ts'), {
    root: www,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { unnorm: join(root, 'dist/node.js') } },
  });
  const texts = Object.entries(await module.firstAnswers(engine, files)).map(([path, kept]) => [
    path,
    `${JSON.stringify(kept)}\n`,
  ]);
  return new Map(texts);
}

await main(import.meta.url, async () => {
  const { createEngine } = await import('../../dist/node.js');
  const engine = await createEngine();
  try {
    const answers = await firstAnswers(engine);
    for (const [path, text] of answers) writeFileSync(join(www, path), text);
    say(`Wrote the first answers of ${answers.size} labs.`);
  } finally {
    await engine.close();
  }
});

/**
 * Numbers change only where the changelog says so: digests of tests/golden against those of the last state on record.
 *
 *     node tests/node/values.mjs --record
 *
 * puts the digests of now on record, as part of a release.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, root, say } from '../../src/tools/run.mjs';
import { goldens } from '../matrix/jobs.mjs';

/** Digests by the names of the files, of the last release; before the first, of when they were first put on record. */
const RECORD = join(root, 'tests/released-digests.json');

/** What the changelog's first section calls value-breaking: its paragraphs that begin so, or nothing. */
export function valueBreakingOf(changelog) {
  const [, section = ''] = changelog.split(/^## /m);
  const paragraphs = section.split(/\n\s*\n/);
  return paragraphs.filter((text) => /^[_*]Value-breaking[_*]/.test(text)).join('\n\n');
}

/**
 * What is wrong, in sentences: each digest on record that is another now, or is gone, and is not named in the changelog
 * as `name`.
 */
export function breachesOf({ recorded, digests, changelog }) {
  const said = valueBreakingOf(changelog);
  return Object.entries(recorded)
    .filter(([name, digest]) => digests[name] !== digest && !said.includes(`\`${name}\``))
    .map(([name]) => {
      const what = name in digests ? 'gives other numbers than on record' : 'is gone';
      return (
        `tests/golden/${name}.json ${what}: if that is meant, say what changed under _Value-breaking_ in the first ` +
        `section of CHANGELOG.md, and name it there as \`${name}\`.`
      );
    });
}

/** The arguments of `breachesOf`, as they are. */
export function valuesNow() {
  return {
    recorded: JSON.parse(readFileSync(RECORD, 'utf8')),
    digests: digestsNow(),
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  };
}

function digestsNow() {
  return Object.fromEntries(goldens().map(({ name, digest }) => [name, digest]));
}

await main(import.meta.url, (args) => {
  if (args.join() !== '--record') {
    console.log('Use: node tests/node/values.mjs --record');
    return;
  }
  writeFileSync(RECORD, `${JSON.stringify(digestsNow(), null, 2)}\n`);
  say(`Put on record in ${RECORD}.`);
});

// Results of full runs, one file a reproduction in `results/`: the ledger of claims, and all figures of the page
// "Reproductions", are made of these.
//
//   npm run -s repro -- NAME --save              runs small, runs in full, and writes results/NAME.json
//   npm run -s repro -- --claims [--json]        every claim with its source and what came of it
//
// `quickDigest` is that of the small run of the same code. The tests run small, and refuse a result whose small run
// has another digest by now: it has to be made anew.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const folder = new URL('results/', import.meta.url);
const fileOf = (name) => new URL(`${name}.json`, folder);

/** The result of a full run, if one is kept. */
export function resultOf(name) {
  return existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : undefined;
}

/** The names of all that are kept. */
export function resultNames() {
  return readdirSync(folder)
    .map((file) => file.replace(/\.json$/, ''))
    .sort();
}

/** Keeps a report of a full run, with where it was made and the digest of the small run. */
export function saveResult({ quick: _, ...report }, quickDigest) {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isClean =
    git(
      'status',
      '--porcelain',
      '--',
      'src',
      'tests/repro',
      'www/data',
      ':!tests/repro/results',
    ) === '';
  const commit = git('rev-parse', '--short=10', 'HEAD') + (isClean ? '' : ', changed');
  const [{ model }] = cpus();
  const machine = `${model.trim()}, ${cpus().length} cores, Node ${process.versions.node}`;
  const result = { ...report, quickDigest, commit, machine };
  writeFileSync(fileOf(report.name), `${JSON.stringify(result, undefined, 2)}\n`);
}

/**
 * Every claim: those of the kept results, failing ones first, and the reproductions that have none.
 *
 * @returns {{ claims: { reproduction, source, claim, holds }[], without: string[] }}
 */
export function ledger(reproductions) {
  const claims = [];
  const without = [];
  for (const { name } of reproductions) {
    const result = resultOf(name);
    if (!result) without.push(name);
    for (const check of result?.checks ?? []) claims.push({ reproduction: name, ...check });
  }
  claims.sort((a, b) => Number(a.holds) - Number(b.holds));
  return { claims, without };
}

/** The ledger in lines. */
export function describeLedger({ claims, without }) {
  const lines = claims.map(
    ({ holds, source, claim, reproduction }) =>
      `${holds ? 'holds' : 'FAILS'}  ${source}: ${claim} [${reproduction}]`,
  );
  const numHolding = claims.filter(({ holds }) => holds).length;
  lines.push('', `${claims.length} claims, of which ${numHolding} hold.`);
  if (without.length > 0) lines.push(`No full result is kept of: ${without.join(', ')}.`);
  return `${lines.join('\n')}\n`;
}

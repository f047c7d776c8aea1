// Results of full runs, one file a reproduction in `results/`: the ledger of claims, and all figures of the page
// "Reproductions", are made of these.
//
//   npm run -s repro -- NAME --save              runs small, runs in full, and writes results/NAME.json
//   npm run -s repro -- --verify [NAME…] --save  runs again, and enters this machine where the digest is the same
//   npm run -s repro -- --claims [--json]        every claim with its source and what came of it
//
// `quickDigest` is that of the small run of the same code. The tests run small, and refuse a result whose small run
// has another digest by now: it has to be made anew. `verified` has an entry `{ machine, commit, quick }` for each
// other machine that has come to the same digest, of the full run or of the small one.

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
  const result = { ...report, quickDigest, ...here() };
  const verified = stillVerified(result, resultOf(report.name));
  write(verified.length > 0 ? { ...result, verified } : result);
}

/** Enters this machine into the kept result, if the report of a run on it has the same digest. */
export function saveVerified(report) {
  write(withVerified(resultOf(report.name), { ...report, ...here() }));
}

/** Whether a report has the digest of the kept result, and a line that says so. */
export function compareDigests({ name, quick, digest }, kept) {
  const expected = kept[digestKey(quick)];
  const isSame = digest === expected;
  const run = quick ? `${name}, small` : name;
  const line = isSame
    ? `same     ${run}: ${digest.slice(0, 16)}, as on ${kept.machine}`
    : `DIFFERS  ${run}: ${digest.slice(0, 16)} here, but ${expected.slice(0, 16)} at commit ${kept.commit} on ${kept.machine}`;
  return { isSame, line };
}

/**
 * A kept result with an entry for a run, in place of an earlier one for the same machine and size. The result stays as it
 * is if the digests differ, or if that machine made it: a machine that agrees with itself says nothing of others.
 */
export function withVerified(kept, { machine, commit, quick, digest }) {
  if (machine === kept.machine || digest !== kept[digestKey(quick)]) return kept;
  const others = (kept.verified ?? []).filter(
    (entry) => entry.machine !== machine || entry.quick !== quick,
  );
  return { ...kept, verified: [...others, { machine, commit, quick }] };
}

/** The entries of the result `before` that are true of a new one as well. */
export function stillVerified(result, before) {
  return (before?.verified ?? []).filter(
    ({ machine, quick }) =>
      machine !== result.machine && before[digestKey(quick)] === result[digestKey(quick)],
  );
}

const digestKey = (quick) => (quick ? 'quickDigest' : 'digest');

function write(result) {
  writeFileSync(fileOf(result.name), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** The commit and the machine that a run is made with. */
function here() {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isClean =
    git(
      'status',
      '--porcelain',
      '--',
      'src',
      'tests/repro',
      'www/data',
      'www/lib',
      ':!tests/repro/results',
    ) === '';
  const commit = git('rev-parse', '--short=10', 'HEAD') + (isClean ? '' : ', changed');
  const [{ model }] = cpus();
  const emulator = process.env.UNNORM_EMULATOR;
  const processor = emulator ? `${process.arch} by ${emulator}` : model.trim();
  const machine = `${processor}, ${cpus().length} cores, Node ${process.versions.node}`;
  return { commit, machine };
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

/**
 * Figures of full runs in Markdown, so that none is typed by hand.
 *
 * - `{{ NAME > row > key > 2 }}` is a figure of a row of `tests/repro/results/NAME.json`, with two decimals; with `±2` its
 *   error follows, which is the row's `keyError`. `paper: key` is the paper's figure. The row `settings` holds the
 *   constants of the run, and `{{ NAME > seconds }}` is how long it took.
 * - A line `<!-- results NAME -->` becomes what differs from the paper, every claim with what came of it, failing ones
 *   first, and where the run was made.
 * - The line `<!-- verified results -->` becomes how many of the page's results other machines have come to.
 *
 * On a page that has such a line no other numbers may stand in sentences and tables, but for those that name a place:
 * years, figures, tables, sections.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Row {
  label: string;
  measured: Record<string, number | string | boolean>;
  paper: Record<string, number | string>;
}

/** What `npm run -s repro -- NAME --save` writes. */
export interface Result {
  name: string;
  seed: number;
  seconds: number;
  digest: string;
  commit: string;
  machine: string;
  settings?: Record<string, number>;
  departures?: { of: string; paper: string; ours: string }[];
  rows: Row[];
  checks: { claim: string; source: string; holds: boolean }[];
  /** Other machines that have come to the same digest, of the full run or of the small one. */
  verified?: { machine: string; commit: string; quick: boolean }[];
}

/** Reads results from a folder, each once. */
export function resultsIn(folder: string): (name: string) => Result {
  const known = new Map<string, Result>();
  return (name) => {
    let result = known.get(name);
    if (!result) {
      const file = join(folder, `${name}.json`);
      if (!existsSync(file)) {
        throw new Error(
          `There is no result of “${name}”; make it with npm run -s repro -- ${name} --save.`,
        );
      }
      result = JSON.parse(readFileSync(file, 'utf8')) as Result;
      known.set(name, result);
    }
    return result;
  };
}

/** Markdown with its figures in place. `slug` names the page in messages. */
export function withResults(
  markdown: string,
  slug: string,
  resultOf: (name: string) => Result,
): string {
  const names = [...markdown.matchAll(/^<!-- results (\S+) -->$/gm)].map(([, name = '']) => name);
  if (names.length > 0) {
    for (const part of markdown.split(/^(?=## )/m)) refuseNumbers(part, slug);
  }
  return markdown
    .replace(/^<!-- verified results -->$/m, () => countVerified(names.map(resultOf)))
    .replace(/^<!-- results (\S+) -->$/gm, (_, name: string) => describe(resultOf(name)))
    .replace(/\{\{(.+?)\}\}/gs, (_, text: string) => {
      const fields = text.trim().replace(/\s+/g, ' ').split(' > ');
      return figure(fields, slug, resultOf);
    });
}

/** The text of one placeholder. */
function figure(fields: string[], slug: string, resultOf: (name: string) => Result): string {
  const fail = (problem: string): never => {
    throw new Error(`www/docs/${slug}.md: {{ ${fields.join(' > ')} }} ${problem}.`);
  };
  const [name = '', label, key, format = ''] = fields;
  const result = resultOf(name);
  if (label === 'seconds') return duration(result.seconds);
  if (key === undefined) return fail('has no key');
  const [, withError, decimals] = /^(±?)(\d)$/.exec(format) ?? fail('has no number of decimals');
  const row = result.rows.find((one) => one.label === label);
  const [, isPaper, field = ''] = /^(paper: )?(.*)$/.exec(key) ?? [];
  const figures =
    label === 'settings' && result.settings
      ? result.settings
      : isPaper
        ? row?.paper
        : row?.measured;
  const value = figures?.[field] ?? fail(`is no figure of ${name}`);
  if (typeof value !== 'number') return String(value);
  const print = (number: number) => withSigns(number, Number(decimals));
  if (!withError) return print(value);
  const error = figures?.[`${field}Error`];
  return typeof error === 'number' ? `${print(value)} ± ${print(error)}` : fail('has no error');
}

/** A number as sentences have it: a minus sign, and commas in thousands. */
function withSigns(value: number, decimals: number): string {
  const text = value.toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  // Not "−0.00".
  return text.replace(/^-(?=[0.]*$)/, '').replace('-', '−');
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${(minutes / 60).toFixed(1)} hours`;
}

/** What differs, what came of each claim, and where it was found. */
function describe(result: Result): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const lines: string[] = [];
  if (result.departures?.length) {
    lines.push(
      'What differs from the paper:',
      '',
      '| of | the paper | here |',
      '| --- | --- | --- |',
    );
    for (const { of, paper, ours } of result.departures) {
      lines.push(`| ${cell(of)} | ${cell(paper)} | ${cell(ours)} |`);
    }
    lines.push('');
  }
  const checks = [...result.checks].sort((a, b) => Number(a.holds) - Number(b.holds));
  lines.push('| verdict | claim | source |', '| --- | --- | --- |');
  for (const { claim, source, holds } of checks) {
    lines.push(`| ${holds ? 'holds' : '**fails**'} | ${cell(claim)} | ${cell(source)} |`);
  }
  lines.push(
    '',
    `Run in full with seed ${result.seed} at commit \`${result.commit}\`, in ${duration(result.seconds)}, on: ${result.machine}. Digest \`${result.digest.slice(0, 16)}\`.${madeAgain(result)}`,
  );
  return lines.join('\n');
}

/** Where else a result has been made: in full if it has been anywhere, or else small. */
function madeAgain(result: Result): string {
  const verified = result.verified ?? [];
  const inFull = verified.filter(({ quick }) => !quick);
  const entries = inFull.length > 0 ? inFull : verified;
  if (entries.length === 0) return '';
  const places = entries.map(({ commit, machine }) => `at commit \`${commit}\` on ${machine}`);
  const what = inFull.length > 0 ? 'Made' : 'Only its small run was made';
  return ` ${what} again, with the same digest, ${places.join('; ')}.`;
}

/** How many results have been made again elsewhere, and on which machines. */
function countVerified(results: Result[]): string {
  const verifiedBy = (quick: boolean) =>
    results.map(({ verified = [] }) => verified.filter((entry) => entry.quick === quick));
  const numOf = (entries: unknown[][]) => entries.filter(({ length }) => length > 0).length;
  const inFull = verifiedBy(false);
  const machines = [...new Set(inFull.flat().map(({ machine }) => machine))].sort();
  const where = machines.length > 0 ? ` (${machines.join('; ')})` : '';
  return `The same digest came out for ${numOf(inFull)} of ${results.length} full results on another machine${where}, and for ${numOf(verifiedBy(true))} of their small runs.`;
}

/** What a number may stand in: names of places and years, code, formulas, links, and figures of results. */
const ALLOWED =
  /```[\s\S]*?```|`[^`]*`|\$[^$]*\$|\{\{[\s\S]*?\}\}|<!--[\s\S]*?-->|\]\([^)]*\)|\(\d{4}\)|\b(?:19|20)\d\d\b|(?:[Ff]igures?|[Tt]ables?|[Ss]ections?|[Cc]hapters?|[Aa]ppendix|[Ee]q\.|[Ee]quations?) [A-E]?\.?\d+(?:[.\-–]\d+)*(?:(?:,| and| to) \d+(?:[.\-–]\d+)*)*|appendix [A-E]\.\d+|CD-\d+/g;

function refuseNumbers(part: string, slug: string): void {
  const found = /[^\n]*?\b\d[\d.,]*/.exec(part.replaceAll(ALLOWED, ' '));
  if (found) {
    const heading = /^## (.*)/.exec(part)?.[1] ?? 'the beginning';
    throw new Error(
      `www/docs/${slug}.md, “${heading}”: “${found[0].trim()}” is typed by hand. Figures come from tests/repro/results: {{ NAME > row > key > decimals }}.`,
    );
  }
}

/** The options of the command: one table for parsing and for the help. */

import { parseArgs } from 'node:util';
import { Failure } from './failure.js';

/** An option: the placeholder for its value in the help, and what it does. */
export interface Option {
  short?: string;
  /** Absent if the option takes no value. */
  value?: string;
  multiple?: boolean;
  about: string;
}

const HELP: Option = { short: 'h', about: 'print this help' };

export const OPTIONS = {
  output: { short: 'o', value: 'FILE', about: 'where the result goes; - is standard output' },
  format: {
    value: 'FORMAT',
    about: 'of the output, where its name does not end in it: csv, npy, npz, json, bits, arviz',
  },
  draws: { short: 'n', value: 'N', about: 'draws of all chains together (1000)' },
  data: { value: 'FILE', about: 'rows whose likelihood is wanted too; - is standard input' },
  start: { value: 'FILE', about: 'states that the chains start from, a row a chain' },
  from: {
    value: 'FORMAT',
    about: 'of the rows, where their name does not tell: csv, npy, npz, json, bits',
  },
  dim: { value: 'D', about: 'entries a row, for the format bits, whose files do not tell' },
  array: { value: 'NAME', about: 'which array of an .npz file has the rows' },
  seed: { value: 'N', about: 'seed of everything random; chosen and reported if absent' },
  set: {
    value: 'FIELD=VALUE',
    multiple: true,
    about: 'a field of the spec: JSON, a word, or @FILE for what is in a file; may be repeated',
  },
  spec: { value: 'FILE', about: 'JSON of a spec, or a result whose spec is to be used again' },
  workers: { value: 'N', about: 'threads, 1 to 64; the result is the same with any number' },
  json: { about: 'print one JSON object to standard output, with spec, seed and digest' },
  quiet: { short: 'q', about: 'no progress and no warnings' },
  resume: { value: 'FILE', about: 'go on from a checkpoint, to the same bits' },
  checkpoint: {
    value: 'FILE',
    about: 'where Ctrl-C leaves the checkpoint (the output with .checkpoint at its end)',
  },
  quick: { about: 'a small run, for a look' },
  help: HELP,
} satisfies Record<string, Option>;

export type OptionName = keyof typeof OPTIONS;

/** The given options, as text; `set` as a list, options without a value as true. */
export type Given = { [Name in Exclude<OptionName, 'set'>]?: string } & {
  set: string[];
  has(name: OptionName): boolean;
};

/** Parses the arguments of a verb that takes these options. */
export function parseOptions(
  verb: string,
  args: string[],
  names: readonly OptionName[],
): { given: Given; positionals: string[] } {
  const options = Object.fromEntries(
    names.map((name) => {
      const { short, value, multiple }: Option = OPTIONS[name];
      const type = value === undefined ? ('boolean' as const) : ('string' as const);
      return [name, { type, ...(short && { short }), ...(multiple && { multiple }) }];
    }),
  );
  const known = () => names.map((name) => `--${name}`).join(', ');
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const words = message.split(/\. |\n/)[0] as string;
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      throw new Failure(`${words} of ${verb}; the options are ${known()}`);
    }
    throw new Failure(`${words}; see unnorm help ${verb}`);
  }
  const { values, positionals } = parsed;
  const given = { ...values, set: (values['set'] as string[]) ?? [] } as unknown as Given;
  given.has = (name) => values[name] !== undefined;
  return { given, positionals };
}

/** The whole number of an option; undefined if it was not given. */
export function wholeNumber(
  given: Given,
  name: Exclude<OptionName, 'set'>,
  least: number,
  most: number,
): number | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw new Failure(`--${name} ${text}: give a whole number from ${least} to ${most}`);
}

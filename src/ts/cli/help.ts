/** The texts that `unnorm help` prints. */

import { Failure } from './failure.js';
import { OPTIONS, type Option, type OptionName } from './options.js';
import { REPRO } from './repro.js';
import { type JobVerb, VERBS } from './verbs.js';

const WIDTH = 22;

/** The help for a verb, or for all verbs. */
export function helpOf(verb: string | undefined): string {
  if (verb === undefined || verb === 'help') return overview();
  if (verb === 'repro') return page('repro', REPRO);
  const job = VERBS[verb];
  if (job && Object.hasOwn(VERBS, verb)) return page(verb, job);
  throw unknownVerb(verb);
}

/** The failure for an unknown verb. */
export function unknownVerb(verb: string): Failure {
  const known = [...Object.keys(VERBS), 'repro', 'help'].join(', ');
  return new Failure(`${verb}: is no verb; give one of ${known}`);
}

function overview(): string {
  const verbs = Object.entries({ ...VERBS, repro: REPRO });
  return `unnorm: energy-based models from the command line

usage: unnorm VERB ARGUMENTS [OPTIONS]

${verbs.map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`).join('\n')}
  help       print the help of a verb, as in unnorm help fit

  --version  print the version

Files are CSV, NPY, NPZ, JSON or packed bits, by the ends of their names; - is standard input or
output. Numbers depend on the spec, the data and the seed only, to the last bit. Ctrl-C leaves a
checkpoint, from which --resume goes on to the same bits.

Exit status: 0 done; 1 the work failed, or a claim that repro checks does not hold; 2 something is
wrong with the arguments, the spec or a file; 130 stopped by Ctrl-C, 143 by SIGTERM.
`;
}

function page(name: string, help: Omit<JobVerb, 'verb'>): string {
  const usage = ['unnorm', name, ...help.arguments, '[OPTIONS]'].join(' ');
  return `usage: ${usage}

${help.about}.

${help.notes}

${help.options.map(optionLine).join('\n')}

${help.examples.map((example) => `  ${example}`).join('\n')}
`;
}

function optionLine(name: OptionName): string {
  const { short, value, about }: Option = OPTIONS[name];
  const flags = `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`;
  return `  ${flags.padEnd(WIDTH)}  ${wrapped(about, WIDTH + 4)}`;
}

/** Wraps words in lines of 80 columns, indented by `indent`. */
function wrapped(words: string, indent: number): string {
  const lines = [''];
  for (const word of words.split(' ')) {
    const line = lines.at(-1) as string;
    if (indent + line.length + 1 + word.length > 80) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

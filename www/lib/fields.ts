import { count } from './format.js';

/**
 * The state of a lab as text in the address. What comes in is hostile: every field says which values it takes, and
 * everything else falls back to the initial value and is reported.
 */
export interface Field<T> {
  initial: T;
  /** What it takes, in words: a whole number from 1 to 8. */
  expects: string;
  /** The value, or undefined where the text is not one. */
  parse(text: string): T | undefined;
  print(value: T): string;
}

export type Fields = Record<string, Field<unknown>>;
export type ValuesOf<F> = { -readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

const MAX_STATE = 2000;

export function integer(initial: number, min: number, max: number): Field<number> {
  const parse = (text: string) =>
    /^-?\d{1,16}$/.test(text) ? within(Number(text), min, max) : undefined;
  return {
    initial,
    expects: `a whole number from ${count(min)} to ${count(max)}`,
    parse,
    print: String,
  };
}

export function real(initial: number, min: number, max: number): Field<number> {
  const parse = (text: string) =>
    /^-?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i.test(text)
      ? within(Number(text), min, max)
      : undefined;
  return { initial, expects: `a number from ${min} to ${max}`, parse, print: String };
}

export function choice<const T extends string>(
  initial: NoInfer<T>,
  options: readonly T[],
): Field<T> {
  const parse = (given: string) => options.find((option) => option === given);
  return { initial, expects: `one of ${options.join(', ')}`, parse, print: (value) => value };
}

/** Any of a few, always in the order of the options: names joined by dots, or none. All of them at first. */
export function someOf<const T extends string>(
  options: readonly T[],
  initial = options,
): Field<readonly T[]> {
  const parse = (given: string) => {
    if (given === 'none') return [];
    const names = given.split('.');
    const known = names.every((name) => options.some((option) => option === name));
    return known ? options.filter((option) => names.includes(option)) : undefined;
  };
  return {
    initial,
    expects: `some of ${options.join(', ')}, joined by dots, or none`,
    parse,
    print: (value) => value.join('.') || 'none',
  };
}

/** A text that has to match a pattern, or is empty. */
export function text(pattern: RegExp, expects: string): Field<string> {
  const parse = (given: string) => (pattern.test(given) ? given : undefined);
  return { initial: '', expects, parse, print: (value) => value };
}

/** Longest formula that a link may carry. */
export const MAX_FORMULA = 300;

/** A formula in x and y, by its characters; whether it makes sense, the engine says. */
export function formula(initial: string): Field<string> {
  const allowed = new RegExp(`^[\\w\\s.,+*/^()-]{1,${MAX_FORMULA}}$`);
  return {
    initial,
    expects: `a formula in x and y of at most ${MAX_FORMULA} characters`,
    parse: (given) => (allowed.test(given) ? given : undefined),
    print: (value) => value,
  };
}

export function initialValues<F extends Fields>(fields: F): ValuesOf<F> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.initial]),
  ) as ValuesOf<F>;
}

/** Reads `#name=value&…`. `problems` says in plain words what was not taken over. */
export function readHash<F extends Fields>(
  fields: F,
  hash: string,
): { values: ValuesOf<F>; problems: string[] } {
  const values: Record<string, unknown> = initialValues(fields);
  const problems: string[] = [];
  if (hash.length > MAX_STATE) {
    return {
      values: values as ValuesOf<F>,
      problems: ['The link is too long to be one of this page, so it was ignored.'],
    };
  }
  for (const [name, given] of new URLSearchParams(hash.replace(/^#/, ''))) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) {
      problems.push(`The link has “${shorten(name)}”, which this page does not know.`);
      continue;
    }
    const value = field.parse(given);
    if (value === undefined) {
      problems.push(
        `The link has “${shorten(given)}” as ${name}, which has to be ${field.expects}; the usual value is used.`,
      );
    } else {
      values[name] = value;
    }
  }
  // A link may say the same thing wrong twice.
  return { values: values as ValuesOf<F>, problems: [...new Set(problems)].slice(0, 4) };
}

/** Writes every value, usual or not: a link has to mean the same when the usual values have changed. */
export function writeHash<F extends Fields>(fields: F, values: ValuesOf<F>): string {
  const state = new URLSearchParams();
  for (const [name, field] of Object.entries(fields)) {
    const text = field.print(values[name as keyof F]);
    if (text !== '') state.set(name, text);
  }
  return `#${state}`;
}

function within(value: number, min: number, max: number): number | undefined {
  return value >= min && value <= max ? value : undefined;
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

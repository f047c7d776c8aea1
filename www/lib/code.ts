/** A plain value as JavaScript, in the style of the code that the labs show. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const entries = Object.entries(value).map(([name, part]) => `${name}: ${literal(part)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** The properties of a plain object as lines of code. */
export function propertyLines(spec: object, indent = 2): string[] {
  return Object.entries(spec).map(
    ([name, value]) => `${' '.repeat(indent)}${name}: ${literal(value)},`,
  );
}

/** Some functions of one of the page's own files, which are plain JavaScript, without comments. */
export function functionsOf(source: string, ...names: string[]): string[] {
  const bare = source.replace(/\/\*\*[\s\S]*?\*\/[ \n]/g, '').replace(/^\s*\/\/.*\n/gm, '');
  const functions = names.map((name) => {
    const found = new RegExp(`^(?:export )?(function ${name}\\([\\s\\S]*?^}$)`, 'm').exec(
      bare,
    )?.[1];
    if (!found) throw new Error(`There is no function ${name}.`);
    return found;
  });
  return [...functions, ''];
}

/** A plain value as JavaScript, in the style of the code that the labs show. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const entries = Object.entries(value).map(([name, part]) => `${name}: ${literal(part)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

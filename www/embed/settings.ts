/** Settings as in a link, after the #, of an object of them. */
export function settingsText(settings: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(entries).toString();
}

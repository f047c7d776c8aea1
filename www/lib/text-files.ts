import { fetchFile } from './site-files.js';

/** Files of numbers that the site brings along. */

/** Where a file can be fetched from, for the code that a lab shows. */
export function lastingUrl(url: string): string {
  return new URL(url, import.meta.url).href;
}

/** The text of a file. */
export async function fetchText(url: string): Promise<string> {
  const response = await fetchFile(url);
  if (!response.ok)
    throw new Error(`The numbers could not be loaded (status ${response.status}). Try again.`);
  return response.text();
}

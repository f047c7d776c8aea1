/** The texts of the page's language, in chunks of their own, which are fetched only where it is not English. */
import { addMessages, language } from './language.js';

type Messages = { default: Readonly<Record<string, string>> };

const files = import.meta.glob<Messages>('../languages/*/messages/**/*.json');

/** Loads files of texts, such as `labs/flow`; those that a language lacks stay English, as does all without a network. */
export async function loadMessages(...names: string[]): Promise<void> {
  if (language === 'en') return;
  const load = async (name: string) => {
    const file = await files[`../languages/${language}/messages/${name}.json`]?.();
    if (file) addMessages(file.default);
  };
  await Promise.all(names.map((name) => load(name).catch(() => {})));
}

/** Those that every page needs. */
export function loadCommonMessages(): Promise<void> {
  return loadMessages('site');
}

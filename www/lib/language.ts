/**
 * The language of the page. Texts are written in English where they are read; `t` gives what another language says for
 * them, from the files in `languages`, whose keys are the English texts. `lib/messages.ts` loads these.
 */

/** Languages by their codes, each named in itself. The script in `index.html` knows the codes, too. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

/** It stays the same for as long as the page does: another one is another address. */
export const language: Language = languageOf(
  typeof document === 'undefined' ? undefined : document.documentElement.dataset['language'],
);

function languageOf(code: string | undefined): Language {
  return code !== undefined && Object.hasOwn(LANGUAGES, code) ? (code as Language) : 'en';
}

const messages = new Map<string, string>();

/** Adds texts of the page's language by the English ones. */
export function addMessages(more: Readonly<Record<string, string>>): void {
  for (const [english, text] of Object.entries(more)) messages.set(english, text);
}

/**
 * A text in the language of the page, or the English one where there is no other. `{name}` in it stands for a value.
 * Before the messages are loaded it is English: call it where a text is shown, not at the beginning of a module, but for
 * those of labs and figures, which are loaded later.
 */
export function t(
  english: string,
  values?: Readonly<Record<string, string | number | undefined>>,
): string {
  const text = messages.get(english) ?? english;
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A name as it stands within a sentence: German keeps its capitals. */
export function withinSentence(name: string): string {
  return language === 'en' ? name.toLowerCase() : name;
}

/** Where a part of the site is from its landing page; the part has to be there in all languages. */
export function inLanguage(path: string): string {
  return language === 'en' ? path : `${language}/${path}`;
}

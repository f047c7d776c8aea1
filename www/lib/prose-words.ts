/** Prose as words: the same when the site is built and when a visitor types. */

/** Words that say little about what a text is about. */
const STOP_WORDS = new Set(
  `about above after again against all almost alone along already also although always among and another any are away
  because been before being below beside besides between both but can cannot come comes could did does done down each
  either else enough even ever every far few first for from further gets give given gives goes had has have hence her here
  his how however into its itself just keep kept least less let like made make makes many may more most much must nearly
  need needs neither never none nor not nothing now off often once one ones only other others our out over own per put
  rather same say says see seen several she should since some something soon still such take taken takes than that the
  their them then there therefore these they this those three though through thus together too try two under unless until
  upon use used uses using very was way well were what when where whether which while who whole whose why will with within
  without would yes yet you your`.split(/\s+/),
);

/** The words of a text, lower-cased, of letters alone, three or more, without those that say little. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.filter((word) => word.length > 2 && !STOP_WORDS.has(word));
}

/** A word, or, where that is known, what it is the plural of. */
export function singularOf(word: string, isKnown: (word: string) => boolean): string {
  const singulars = [/[^s]s$/.test(word) ? word.slice(0, -1) : '', word.replace(/es$/, '')];
  return singulars.find((one) => one.length > 2 && one !== word && isKnown(one)) ?? word;
}

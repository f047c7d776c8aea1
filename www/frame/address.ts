/** A lab whose state stands in the address. */
export interface Addressed {
  readonly hash: string;
  open(hash: string): void;
}

/** How long a state has to stand before the address follows it, in milliseconds: browsers limit how often it may change. */
const SETTLED = 250;

/** What the window hears when the address has followed. */
export const ADDRESS_FOLLOWED = 'addressfollowed';

/** Keeps the address at the state of the lab. Returns what calls it off; for an effect that reads `lab.hash`. */
export function followHash(lab: Addressed): () => void {
  const { hash } = lab;
  const timer = setTimeout(() => {
    if (location.hash === hash) return;
    history.replaceState(history.state, '', hash);
    // A change of this kind makes no event of its own.
    dispatchEvent(new Event(ADDRESS_FOLLOWED));
  }, SETTLED);
  return () => clearTimeout(timer);
}

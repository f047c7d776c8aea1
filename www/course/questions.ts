/** Self-checks: replies to the choice that was made, and marks it. */
import { t } from '../lib/language.js';

/** Lets a question of the page reply. Any number of choices may be tried. */
export function answerChoices(form: HTMLFormElement): void {
  form.querySelector('.answer')?.remove();
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', () => {
    const choice = form.querySelector('input:checked')?.closest('.choice');
    const given = choice?.querySelector<HTMLElement>('[data-reply]');
    const place = form.querySelector('.reply');
    if (!choice || !given || !place) return;
    const verdict = given.dataset['reply'] === 'right' ? 'right' : 'wrong';
    for (const one of form.querySelectorAll<HTMLElement>('.choice')) delete one.dataset['verdict'];
    (choice as HTMLElement).dataset['verdict'] = verdict;
    form.dataset['verdict'] = verdict;
    const word = document.createElement('strong');
    word.textContent = verdict === 'right' ? t('Right.') : t('Not quite.');
    const reply = [...given.childNodes].map((node) => node.cloneNode(true));
    place.replaceChildren(word, ' ', ...reply);
  });
}

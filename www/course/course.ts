/** The live parts of a chapter: figures that move, and questions that reply. */
import { type Component, mount } from 'svelte';
import { loadMessages } from '../lib/messages.js';
import { answerChoices } from './questions.js';
import './course.css';

const figures = import.meta.glob<{ default: Component }>('./figures/*/Figure.svelte');

/** How far below the window a figure is made, so that it is there when one comes to it. */
const AHEAD = '600px';

async function show(figure: HTMLElement): Promise<void> {
  const { figure: name = '' } = figure.dataset;
  const place = figure.querySelector('.picture');
  if (!place || figure.dataset['state']) return;
  figure.dataset['state'] = 'loading';
  const load = figures[`./figures/${name}/Figure.svelte`];
  if (!load) throw new Error(`There is no figure ${name}.`);
  // A figure may read its texts as soon as it is loaded.
  await loadMessages('course');
  const { default: Figure } = await load();
  place.replaceChildren();
  mount(Figure, { target: place });
  figure.dataset['state'] = 'live';
}

/** Makes the figures and questions of the page live: figures when they come near, and all of them for print. */
export function startCourse(): void {
  const all = [...document.querySelectorAll<HTMLElement>('[data-figure]')];
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        void show(target as HTMLElement);
      }
    },
    { rootMargin: AHEAD },
  );
  for (const figure of all) near.observe(figure);
  addEventListener('beforeprint', () => {
    for (const figure of all) void show(figure);
  });
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-question]')) {
    answerChoices(form);
  }
}

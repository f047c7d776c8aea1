/**
 * What a page of the documentation gets besides its text: the site's header and footer, the search, code that runs,
 * buttons that copy it, and boxes that scroll made reachable by keyboard.
 */
import { mount } from 'svelte';
import CopyButton from '../../frame/CopyButton.svelte';
import { language, t } from '../../lib/language.js';
import { loadCommonMessages } from '../../lib/messages.js';
import Footer from '../../shell/Footer.svelte';
import Header from '../../shell/Header.svelte';
import '../../shell/styles.css';
import 'temml/dist/Temml-Local.css';
import './text.css';
import './docs.css';
import { makeLive } from './live.js';
import Search from './Search.svelte';

await loadCommonMessages();

const { home = './', docs = '' } = document.documentElement.dataset;
const part = /^course(\/|$)/.test(docs) ? 'course' : 'docs';

function place(id: string): HTMLElement {
  const target = document.getElementById(id);
  if (!target) throw new Error(`The page has no #${id}.`);
  target.replaceChildren();
  // The text may be in English where the rest is not.
  target.lang = language;
  return target;
}

mount(Header, { target: place('header'), props: { home, current: undefined, part } });
mount(Search, { target: place('search'), props: { home } });
mount(Footer, { target: place('footer'), props: { home } });

const bench = document.querySelector('[data-live="bench"]');
if (bench) {
  void import('../../bench/Bench.svelte').then(({ default: Bench }) => {
    bench.replaceChildren();
    mount(Bench, { target: bench });
  });
}

if (document.querySelector('[data-figure], [data-question]')) {
  void import('../../course/course.js').then(({ startCourse }) => startCourse());
}

let codeOf: ReturnType<typeof makeLive> | undefined;
for (const figure of document.querySelectorAll<HTMLElement>('figure.code')) {
  const text = () => codeOf?.(figure) ?? figure.querySelector('code')?.textContent ?? '';
  mount(CopyButton, { target: figure, props: { label: t('Copy'), text } });
}
codeOf = makeLive();

// Wide screens have room for the contents of the page beside it.
const contents = document.querySelector<HTMLDetailsElement>('details.toc');
const isWide = matchMedia('(min-width: 75rem)');
const show = () => {
  if (contents) contents.open = isWide.matches;
};
isWide.addEventListener('change', show);
show();

// All pages scroll by themselves beside the text: the one that is open has to be in view.
const allPages = document.querySelector<HTMLElement>('.pages');
const openPage = allPages?.querySelector<HTMLElement>('[aria-current]');
if (allPages && openPage) allPages.scrollTop = openPage.offsetTop - allPages.clientHeight / 2;

/** What is wider than its box scrolls, and must then be reachable by keyboard; what is not, need not. */
function markScrollable(): void {
  for (const box of document.querySelectorAll<HTMLElement>('.scroll')) {
    const wide = box.scrollWidth > box.clientWidth + 1;
    for (const [name, value] of [
      ['tabindex', '0'],
      // No landmark, of which a page with many equations would have too many.
      ['role', 'group'],
      ['aria-label', t('{part}, scrolls sideways', { part: t(box.dataset['label'] ?? 'Part') })],
    ] as const) {
      if (wide) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }
}
addEventListener('resize', markScrollable);
markScrollable();
void document.fonts.ready.then(markScrollable);

/** Makes the blocks of code on a page of the documentation live, and shows code that the address has for one of them. */
import { mount } from 'svelte';
import { t } from '../../lib/language.js';
import type { LivePage } from '../../live/LiveBlock.svelte';
import LiveBlock from '../../live/LiveBlock.svelte';
import { codeFromHash, codeHash } from '../../live/share.js';

type Live = ReturnType<typeof mountBlock>;

function mountBlock(figure: HTMLElement, number: number, page: LivePage) {
  const code = figure.querySelector('code')?.textContent ?? '';
  const language = figure.dataset['language'] === 'ts' ? 'ts' : 'js';
  const name = t('Live code {number}', { number });
  return mount(LiveBlock, {
    target: figure,
    props: {
      code,
      language,
      name,
      page,
      onedit: (editing: boolean) => {
        figure.classList.toggle('editing', editing);
      },
    },
  });
}

/** Returns what gives the code of a figure as it is now. */
export function makeLive(): (figure: HTMLElement) => string | undefined {
  const figures = [...document.querySelectorAll<HTMLElement>('figure.code[data-live]')];
  const blocks: Live[] = [];
  for (const [n, figure] of figures.entries()) {
    // The blocks of one program are those since the last that begins one.
    const rest = figures.slice(0, n + 1).map(({ dataset }) => dataset['live']);
    const first = rest.lastIndexOf('begin');
    const link = async (code: string) => new URL(await codeHash(n + 1, code), location.href).href;
    const before = () => blocks.slice(first, n).map((block) => block.current());
    blocks.push(mountBlock(figure, n + 1, { before, link }));
  }
  const receive = async () => {
    try {
      const shared = await codeFromHash(location.hash);
      if (shared) await blocks[shared.block - 1]?.receive(shared.code);
    } catch (error) {
      const first = Number(/=(\d+)/.exec(location.hash)?.[1] ?? 1) - 1;
      const words = error instanceof Error ? error.message : String(error);
      (blocks[first] ?? blocks[0])?.refuse(words);
    }
  };
  addEventListener('hashchange', receive);
  void receive();
  return (figure) => blocks[figures.indexOf(figure)]?.current().code;
}

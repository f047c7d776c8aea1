/**
 * Markdown as HTML, at build time: `$…$` and `$$…$$` become MathML, headings get names, wide things get boxes that
 * scroll by themselves, and links between Markdown files become links between pages. Whatever leads nowhere is an
 * error.
 */
import { Marked, type MarkedExtension, type Tokens } from 'marked';
import temml from 'temml';
import { foldedLines } from '../../lib/long-code.js';
import { highlight } from './highlight.js';
import { liveBlocks } from './live-blocks.js';
import { questionHtml, readQuestion } from './questions.js';
import { anchorOf, escapeHtml, plainText } from './text.js';
import { inEnglish, type Say } from './translations.js';

/** A part of a page below one heading, for its contents and for search. */
export interface Part {
  anchor: string;
  heading: string;
  depth: number;
  text: string;
}

export interface Rendered {
  html: string;
  /** The first is what comes before any heading but the title. */
  parts: Part[];
  /** Where links within the documentation lead, as `slug#anchor`, to be checked when all pages are known. */
  links: string[];
}

export interface Options {
  /** Of the page, for messages. */
  slug: string;
  title: string;
  /** A link of the Markdown as one of the page. Gets the address without its anchor. */
  resolve: (href: string) => { href: string; slug?: string };
  /** Whether there is a live figure of a name. */
  hasFigure: (name: string) => boolean;
  /** What the texts around those of the page say in its language. */
  say?: Say;
  /** The names of its headings, in order, where they are not to be made of these: those of the page in English. */
  anchors?: readonly string[];
}

/** TeX as MathML. */
export function math(tex: string, display: boolean, slug: string): string {
  try {
    return temml.renderToString(tex, { displayMode: display, throwOnError: true, annotate: false });
  } catch (error) {
    throw new Error(`www/docs/${slug}.md: “${tex}” is not TeX that can be read: ${error}`);
  }
}

export function render(markdown: string, options: Options): Rendered {
  const { slug, title, say = inEnglish } = options;
  const parts: Part[] = [{ anchor: '', heading: title, depth: 1, text: '' }];
  const links: string[] = [];
  const liveOf = liveBlocks();
  let numQuestions = 0;
  const note = (text: string) => {
    const part = parts.at(-1);
    if (part) part.text += ` ${text}`;
  };

  const extension: MarkedExtension = {
    extensions: [displayMath(slug), inlineMath(slug)],
    renderer: {
      heading({ tokens, depth, text }) {
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${inner}</h1>\n`;
        const anchor = options.anchors?.[parts.length - 1] ?? anchorOf(text);
        if (parts.some((part) => part.anchor === anchor)) {
          throw new Error(`www/docs/${slug}.md has two headings “${text}”.`);
        }
        parts.push({ anchor, heading: plainText(text), depth, text: '' });
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        const [language = '', name = ''] = lang.split(/ +/);
        if (language === 'figure' || language === 'question') {
          note(plainText(text));
          const inline = (part: string) => marked.parseInline(part, { async: false });
          if (language === 'figure') return liveFigure(name, inline(text), options);
          const question = readQuestion(text, `www/docs/${slug}.md`);
          return questionHtml(question, inline, ++numQuestions, say);
        }
        note(text);
        const live = liveOf(lang, text);
        const isLive = live && 'live' in live ? ` data-live="${live.live}"` : '';
        const why =
          live && 'why' in live
            ? `<figcaption>${say('Not run on this page.')} ${escapeHtml(live.why)}</figcaption>`
            : '';
        return `<figure class="code" data-language="${escapeHtml(language)}"${isLive}><pre class="scroll" data-label="Code"><code>${highlight(text, language)}</code></pre>${unfold(text, say)}${why}</figure>\n`;
      },
      codespan({ text }) {
        // Paths may go on in the next line: in the narrow columns of a phone they would take the room of sentences.
        return `<code>${escapeHtml(text).replaceAll('/', '/<wbr>')}</code>`;
      },
      table(token) {
        note(token.raw);
        return `<div class="scroll table" data-label="Table">${tableHtml(token, (cell) => this.parser.parseInline(cell.tokens))}</div>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const [path = '', anchor] = href.split('#');
        if (/^[a-z]+:/.test(href)) return `<a href="${escapeHtml(href)}">${inner}</a>`;
        const target = path === '' ? { href: '', slug } : options.resolve(path);
        if (target.slug) links.push(`${target.slug}#${anchor ?? ''}`);
        return `<a href="${target.href}${anchor ? `#${anchor}` : ''}">${inner}</a>`;
      },
      image({ href, text }) {
        // Vite resolves the path from the page, whose address is one folder deeper than its Markdown file.
        return `<img src="../${escapeHtml(href)}" alt="${escapeHtml(text)}">`;
      },
    },
  };
  const marked = new Marked(extension, {
    renderer: {
      paragraph({ tokens, raw }) {
        note(plainText(raw));
        return `<p>${this.parser.parseInline(tokens)}</p>\n`;
      },
      listitem(item) {
        note(plainText(item.raw));
        return `<li>${this.parser.parse(item.tokens)}</li>\n`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { html, parts, links };
}

/** The place of a figure that moves, under which its caption stands. `www/course/course.ts` makes it. */
function liveFigure(
  name: string,
  caption: string,
  { slug, hasFigure, say = inEnglish }: Options,
): string {
  if (!hasFigure(name)) {
    throw new Error(`www/docs/${slug}.md shows the figure “${name}”; www/course/figures has none.`);
  }
  return `<figure class="live-figure" data-figure="${name}"><div class="picture"><noscript>${say('This picture moves, for which it needs JavaScript.')}</noscript></div><figcaption>${caption}</figcaption></figure>\n`;
}

/** What unfolds code that is longer than a screen. `styles.css` does the rest, without a script. */
function unfold(code: string, say: Say): string {
  const lines = foldedLines(code);
  if (!lines) return '';
  return `<details class="unfold"><summary><span class="more">${say('Show all {lines} lines', { lines })}</span><span class="fewer">${say('Show only the beginning')}</span></summary></details>`;
}

function tableHtml(token: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const cell = (tag: string, scope: string) => (entry: Tokens.TableCell, at: number) => {
    const align = token.align[at];
    return `<${tag}${scope}${align ? ` class="${align}"` : ''}>${inline(entry)}</${tag}>`;
  };
  const head = token.header.map(cell('th', ' scope="col"')).join('');
  const rows = token.rows.map((row) => `<tr>${row.map(cell('td', '')).join('')}</tr>`).join('\n');
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${rows}\n</tbody></table>`;
}

function displayMath(slug: string): NonNullable<MarkedExtension['extensions']>[number] {
  return {
    name: 'displayMath',
    level: 'block',
    start: (source) => source.indexOf('$$'),
    tokenizer(source) {
      const found = /^\$\$\n?([\s\S]+?)\n?\$\$(?: *\n|$)/.exec(source);
      return found ? { type: 'displayMath', raw: found[0], text: found[1] ?? '' } : undefined;
    },
    renderer: ({ text }) => {
      // The number is set beside the equation, not in it, so that it keeps to the right edge however long that is.
      const number = /\\tag\{([^}]*)\}/.exec(text)?.[1];
      const equation = math(text.replace(/\\tag\{[^}]*\}/, ''), true, slug);
      const beside = number ? `<span class="number">(${escapeHtml(number)})</span>` : '';
      return `<div class="scroll equation" data-label="Equation">${equation}${beside}</div>\n`;
    },
  };
}

function inlineMath(slug: string): NonNullable<MarkedExtension['extensions']>[number] {
  return {
    name: 'inlineMath',
    level: 'inline',
    start: (source) => source.indexOf('$'),
    tokenizer(source) {
      const found = /^\$((?:\\.|[^$\\\n]|\n(?!\n))+?)\$(?!\d)/.exec(source);
      return found ? { type: 'inlineMath', raw: found[0], text: found[1] ?? '' } : undefined;
    },
    renderer: ({ text }) => math(text, false, slug),
  };
}

/** Writes a page of the reference. */
import {
  type CommentDisplayPart,
  type DeclarationReflection,
  ReflectionKind,
  type SignatureReflection,
  type SomeType,
} from 'typedoc';
import { type ApiPage, apiPages } from './api-pages.js';
import { render } from './markdown.js';
import type { Page } from './page.js';
import { addressOf, anchorOf, escapeHtml, relativeLink } from './text.js';

/** What the package declares, by name. */
export type Declarations = ReadonlyMap<string, DeclarationReflection>;

export class Writer {
  readonly #page: ApiPage;
  readonly #names: Declarations;
  readonly #fields: Declarations;
  readonly #parts: Page['parts'] = [];

  constructor(page: ApiPage, names: Declarations, fields: Declarations) {
    this.#page = page;
    this.#names = names;
    this.#fields = fields;
  }

  write(): Page {
    const { slug, title, summary, names } = this.#page;
    const listed = new Set(apiPages.flatMap((page) => page.names));
    const stray = [...this.#names.keys()].find((name) => !listed.has(name));
    if (stray) throw new Error(`${stray} is on no page of www/build/docs/api-pages.ts.`);
    this.#parts.push({ anchor: '', heading: title, depth: 1, text: summary });
    const html = names.map((name) => this.#declaration(name)).join('\n');
    return {
      slug,
      title,
      summary,
      section: 'Reference',
      label: 'API',
      html: `<h1>${escapeHtml(title)}</h1>\n<p>${this.#prose(summary)}</p>\n${html}`,
      parts: this.#parts,
    };
  }

  #declaration(name: string): string {
    const declaration = this.#names.get(name);
    if (!declaration) throw new Error(`The package has no ${name} any more: see api-pages.ts.`);
    const anchor = anchorOf(name);
    const heading = `<h2 id="${anchor}"><a class="anchor" href="#${anchor}"><code>${name}</code></a></h2>`;
    const part = { anchor, heading: name, depth: 2, text: '' };
    this.#parts.push(part);
    const body = this.#body(declaration);
    part.text = body.replace(/<[^>]*>/g, ' ').replace(/&\w+;/g, ' ');
    return `${heading}\n${body}`;
  }

  #body(declaration: DeclarationReflection): string {
    const { signatures } = declaration;
    if (signatures) {
      return signatures
        .map(
          (one) =>
            this.#prose(wordsOf(one.comment?.summary), true) +
            this.#code(signatureText(declaration.name, one)),
        )
        .join('');
    }
    const comment = this.#prose(wordsOf(declaration.comment?.summary), true);
    const { type } = declaration;
    if (declaration.children) return comment + this.#members(declaration.children);
    if (!type) return comment;
    const generated = this.#fields.get(declaration.name);
    // An expression over a generated type of the same name: its fields are told, with those that it puts in place.
    if (generated && generated !== declaration && generated.children) {
      const replaced = type.type === 'intersection' ? type.types.flatMap(childrenOf) : [];
      const field = (child: DeclarationReflection) =>
        replaced.find(({ name }) => name === child.name) ?? child;
      return comment + this.#members(generated.children.map(field), generated.children);
    }
    const kinds = variantsOf(type);
    if (kinds) return comment + kinds.map((variant) => this.#variant(variant)).join('');
    return comment + this.#code(`type ${declaration.name} = ${type}`);
  }

  /** One of the alternatives of a union: its `kind` and the fields that come with it. */
  #variant({ kind, fields, rest }: Variant): string {
    const also =
      rest.length > 0
        ? `, and the fields of ${rest.map((name) => this.#types(name)).join(', ')}`
        : '';
    const title = `<p class="kind"><code>{ kind: <span class="string">'${kind}'</span> … }</code>${also}</p>`;
    return title + (fields.length > 0 ? this.#members(fields) : '');
  }

  /** Fields and methods. `words` has their comments where they have none. */
  #members(
    members: readonly DeclarationReflection[],
    words: readonly DeclarationReflection[] = [],
  ): string {
    const rows = members
      .filter((member) => member.kind !== ReflectionKind.Constructor && !member.flags.isInherited)
      .map((member) => {
        const [signature] = member.signatures ?? [];
        const comment =
          (signature ?? member).comment ?? words.find(({ name }) => name === member.name)?.comment;
        const prose = this.#prose(wordsOf(comment?.summary), true);
        const optional = member.flags.isOptional ? '<span class="optional">optional</span>' : '';
        const type = signature ? signatureText('', signature) : String(member.type);
        return `<div class="member"><dt><code>${escapeHtml(member.name)}</code> ${optional}</dt><dd><code class="type">${this.#types(type)}</code>${prose}</dd></div>`;
      });
    return `<dl class="members">${rows.join('\n')}</dl>`;
  }

  #code(text: string): string {
    return `<pre class="scroll" data-label="Code"><code>${this.#types(text)}</code></pre>`;
  }

  /** Types as HTML, those of the package with links. */
  #types(text: string): string {
    return escapeHtml(text).replace(/\b[A-Z]\w+\b/g, (name) => {
      const page = apiPages.find(({ names }) => names.includes(name));
      if (!page) return name;
      const from = addressOf(this.#page.slug);
      const href = page === this.#page ? '' : relativeLink(from, addressOf(page.slug));
      return `<a href="${href}#${anchorOf(name)}">${name}</a>`;
    });
  }

  /** Words of a comment, which is Markdown. */
  #prose(markdown: string, blocks = false): string {
    const bare = markdown
      .replace(/\[`(\w+)`\](?!\()/g, '`$1`')
      .replace(/ ?\{@link (\w+)\}/g, ' `$1`');
    const { html } = render(bare, {
      hasFigure: () => false,
      slug: this.#page.slug,
      title: '',
      resolve: (href) => ({ href }),
    });
    return blocks ? html : html.replace(/^<p>|<\/p>\n?$/g, '');
  }
}

interface Variant {
  kind: string;
  fields: DeclarationReflection[];
  /** Types whose fields it has besides. */
  rest: string[];
}

/** The fields of a type that is an object, or none. */
function childrenOf(type: SomeType): DeclarationReflection[] {
  return type.type === 'reflection' ? (type.declaration.children ?? []) : [];
}

/** The alternatives of a union of objects told apart by `kind`, or undefined. */
function variantsOf(type: SomeType): Variant[] | undefined {
  if (type.type !== 'union') return undefined;
  const variants = type.types.map((member): Variant | undefined => {
    const pieces = member.type === 'intersection' ? member.types : [member];
    const children = pieces.flatMap(childrenOf);
    const kind = children.find(({ name }) => name === 'kind')?.type;
    if (kind?.type !== 'literal') return undefined;
    return {
      kind: String(kind.value),
      fields: children.filter(({ name }) => name !== 'kind'),
      rest: pieces.flatMap((piece) => (piece.type === 'reference' ? [piece.name] : [])),
    };
  });
  return variants.every((variant) => variant !== undefined) ? variants : undefined;
}

function signatureText(name: string, signature: SignatureReflection): string {
  const typeParameters = (signature.typeParameters ?? []).map((parameter) =>
    parameter.type ? `${parameter.name} extends ${parameter.type}` : parameter.name,
  );
  const generics = typeParameters.length > 0 ? `<${typeParameters.join(', ')}>` : '';
  const parameters = (signature.parameters ?? []).map(
    (parameter) => `${parameter.name}${parameter.flags.isOptional ? '?' : ''}: ${parameter.type}`,
  );
  return `${name}${generics}(${parameters.join(', ')}): ${signature.type}`;
}

/** A comment's words as Markdown. */
function wordsOf(parts: CommentDisplayPart[] | undefined): string {
  return (parts ?? [])
    .map((part) => part.text)
    .join('')
    .trim();
}

/**
 * Blocks of code as one program for the sandbox, where a script is no module: imports become calls of the runtime, exports
 * lose their keyword, and everything stands in an async function, so that `await` works as at the top of a module. Every
 * line stays where it is.
 */
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/javascript';

export interface Block {
  code: string;
  language: 'js' | 'ts';
}

export interface Program {
  /** What stands behind the runtime in the script. */
  text: string;
  /** Which block a line of the text belongs to, and which line there; both from 0, or undefined. */
  placeOf(line: number): { block: number; line: number } | undefined;
}

/** The last block is the one that is run and prints; those before it lead up to it. */
export async function programOf(blocks: readonly Block[]): Promise<Program> {
  const lines = ["liveRuntime.run(async () => { 'use strict';"];
  const starts: { from: number; count: number }[] = [];
  for (const [n, block] of blocks.entries()) {
    const isLast = n === blocks.length - 1;
    lines.push(`liveRuntime.begin(${isLast});`);
    const code = (await bare(block)).split('\n');
    starts.push({ from: lines.length, count: code.length });
    lines.push(...code);
  }
  lines.push('});');
  return {
    text: lines.join('\n'),
    placeOf(line) {
      const block = starts.findIndex(({ from, count }) => line >= from && line < from + count);
      const start = starts[block];
      return start && { block, line: line - start.from };
    },
  };
}

interface Edit {
  from: number;
  to: number;
  text: string;
}

async function bare(block: Block): Promise<string> {
  const code = block.language === 'ts' ? await withoutTypes(block.code) : block.code;
  const root = parser.parse(code).topNode;
  const edits: Edit[] = [];
  const names: string[] = [];
  for (let node = root.firstChild; node; node = node.nextSibling) {
    if (node.name === 'ImportDeclaration') edits.push(importEdit(node, code));
    if (node.name === 'ExportDeclaration') edits.push(...exportEdits(node, code));
    const declared =
      node.name === 'ExportDeclaration' ? node.getChild('VariableDeclaration') : node;
    if (declared?.name === 'VariableDeclaration') names.push(...namesIn(declared, code));
  }
  const cursor = root.cursor();
  while (cursor.next()) {
    if (cursor.name !== 'DynamicImport') continue;
    const { from } = cursor;
    edits.push({ from, to: from + 'import'.length, text: 'liveRuntime.load' });
  }
  const last = lastStatement(root);
  if (last?.name === 'ExpressionStatement' && last.firstChild) {
    const { from, to } = last.firstChild;
    edits.push({ from, to: from, text: ';liveRuntime.value((' }, { from: to, to, text: '))' });
  }
  const end = names.length > 0 ? `\n;liveRuntime.variables({ ${names.join(', ')} });` : '';
  return applied(code, edits) + end;
}

function lastStatement(root: SyntaxNode): SyntaxNode | null {
  let node = root.lastChild;
  while (node && /Comment$/.test(node.name)) node = node.prevSibling;
  return node;
}

/** An import as a constant, on as many lines. */
function importEdit(node: SyntaxNode, code: string): Edit {
  const text = (part: SyntaxNode) => code.slice(part.from, part.to);
  const source = node.getChild('String');
  const group = node.getChild('ImportGroup');
  const pairs: [exported: string, local: string][] = [];
  // `import a, { b as c }`: names outside the group are the default or, after `as`, the whole module.
  const outside = node.getChildren('VariableDefinition').map(text);
  const isWhole = node.getChild('Star') !== null;
  const whole = isWhole ? outside.pop() : undefined;
  for (const name of outside) pairs.push(['default', name]);
  let exported: string | undefined;
  for (let part = group?.firstChild; part; part = part.nextSibling) {
    if (part.name === 'VariableName') exported = text(part);
    if (part.name !== 'VariableDefinition') continue;
    pairs.push([exported ?? text(part), text(part)]);
    exported = undefined;
  }
  const name = source ? text(source) : "''";
  const wanted = JSON.stringify(pairs.map(([one]) => one));
  const call = `liveRuntime.module(${name}, ${wanted})`;
  const constants = [
    ...(whole ? [`${whole} = ${call}`] : []),
    ...(pairs.length > 0
      ? [`{ ${pairs.map(([from, to]) => `${from}: ${to}`).join(', ')} } = ${call}`]
      : []),
  ];
  const statement = constants.length > 0 ? `const ${constants.join(', ')};` : `${call};`;
  const newlines = '\n'.repeat(text(node).split('\n').length - 1);
  return { from: node.from, to: node.to, text: statement + newlines };
}

/** Nobody imports from here: a declaration stays, a value is only computed, a list of names is dropped. */
function exportEdits(node: SyntaxNode, code: string): Edit[] {
  const blank = (from: number, to: number): Edit => ({
    from,
    to,
    text: code.slice(from, to).replace(/[^\n]/g, ' '),
  });
  if (node.getChild('ExportGroup') || node.getChild('Star')) return [blank(node.from, node.to)];
  const keyword = node.getChild('export');
  const byDefault = node.getChild('default');
  if (!keyword) return [];
  if (!byDefault) return [blank(keyword.from, keyword.to)];
  return [{ from: keyword.from, to: byDefault.to, text: 'void ' }];
}

/** The variables that a declaration gives, not those within functions in it. */
function namesIn(declaration: SyntaxNode, code: string): string[] {
  const names: string[] = [];
  const patterns = new Set(['ObjectPattern', 'ArrayPattern', 'PatternProperty']);
  const visit = (parent: SyntaxNode) => {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (node.name === 'VariableDefinition') names.push(code.slice(node.from, node.to));
      if (patterns.has(node.name)) visit(node);
    }
  };
  visit(declaration);
  return names;
}

function applied(code: string, edits: readonly Edit[]): string {
  // From the end, so that places before stay; of two at one place the one that was noted first comes first.
  const sorted = edits
    .map((edit, n) => ({ ...edit, n }))
    .sort((a, b) => b.from - a.from || b.n - a.n);
  return sorted.reduce(
    (text, { from, to, text: put }) => text.slice(0, from) + put + text.slice(to),
    code,
  );
}

/** TypeScript without its types, on the same lines. */
async function withoutTypes(code: string): Promise<string> {
  const { transform } = await import('sucrase');
  return transform(code, {
    transforms: ['typescript'],
    disableESTransforms: true,
    keepUnusedImports: true,
  }).code;
}

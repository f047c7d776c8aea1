/**
 * The types of specs and results for Python, from the declarations that Rust writes for TypeScript.
 *
 *     node src/tools/python-types.mjs             rewrites src/python/unnorm/types.py; `npm run types` does it too
 *     node src/tools/python-types.mjs --check     fails if it is not what src/ts/generated gives
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { Failure, main, root, say } from './run.mjs';
import { filesUnder } from './stamp.mjs';

const declarations = 'src/ts/generated';
const target = 'src/python/unnorm/types.py';

/** What the verbs do, in their docstrings; a verb that is missing here has no type. */
const VERBS = {
  fit: 'Fits a model to data.',
  sample: 'Draws from a model.',
  exact: 'Computes log Z, likelihood, moments and entropy without error.',
  energies: 'Computes energies, gradients and conditional probabilities of states.',
  logZ: 'Estimates log Z by annealing, with errors and bounds.',
  spline: 'Finds a moment averages path to anneal along.',
  memorize: 'Stores patterns as minima of an energy: a Hopfield network.',
  recall: 'Goes down the energy from given states.',
  patches: 'Makes states on the reals from patches of pictures.',
  evidence: 'Estimates ln p of a table under a model with hidden variables.',
  chain: 'Analyses a finite Markov chain, exactly.',
  mode: 'Finds the most probable state of a binary model.',
  network: 'Fits a sparse network of binary columns.',
  kernels: 'Searches for the kernel of a Gaussian process.',
  structure: 'Searches for the structure of a table.',
};

/** The results of `sample` by kind of model: a program that knows its model may take any field. */
const SAMPLES = ['SampleResult', 'ContinuousResult', 'LatentResult'];

/** Counts and places, which are whole numbers; TypeScript has no type for them. */
const COUNT = /^(num(?!InUse|Vacuous)[A-Z]\w*|dim|order|seed|best|chosen|parent)$/;

/** Names of fields that Python keeps for itself. */
const KEYWORDS = new Set([
  'class',
  'from',
  'global',
  'import',
  'in',
  'is',
  'lambda',
  'not',
  'or',
  'with',
]);

const HEADER = `"""The types of specs and results, for editors and type checkers.

Written by src/tools/python-types.mjs from the declarations of the TypeScript package; do not edit.

No field of a spec is required here, because keywords may give the rest. A field that is missing is
refused when the job starts. Numbers of specs may be NumPy's, and arrays anything that
NumPy converts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Union

import numpy
import numpy.typing

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias, Unpack


class SupportsArray(Protocol):
    """What converts itself to a NumPy array."""

    def __array__(self) -> numpy.typing.NDArray[Any]: ...


Count: TypeAlias = Union[int, "numpy.integer[Any]"]
Number: TypeAlias = Union[float, "numpy.integer[Any]", "numpy.floating[Any]"]
Numbers: TypeAlias = Union[
    SupportsArray, "numpy.typing.NDArray[Any]", Sequence[Number], Sequence[Sequence[Number]]
]
Bytes: TypeAlias = Union[bytes, bytearray, SupportsArray, "numpy.typing.NDArray[Any]"]
Bits: TypeAlias = "numpy.typing.NDArray[numpy.uint8]"
Floats: TypeAlias = "numpy.typing.NDArray[numpy.float64]"
`;

/** A model whose energy is a function of Python's; JavaScript's has the address of a module. */
const CUSTOM = `class CustomSpec(TypedDict):
    """The spec of the custom model."""

    dim: Count
    """Number of dimensions D."""
    energy: Callable[..., tuple[Any, ...]]
    """The energies \`[B]\` and the gradients \`[B, dim]\` of states \`[B, dim]\`. With \`params\` it also
    takes their values \`[P]\`, and returns the gradients in these \`[B, P]\`, too."""
    params: NotRequired[Mapping[str, ParameterSpec]]
    """The parameters: what a fit finds, with the values that it starts from. A number, or an object
    with \`value\` and the bounds \`lower\` and \`upper\`."""
`;

/** The declarations by name: `{ doc, type, source }`. */
function read() {
  const found = new Map();
  for (const file of filesUnder([declarations])) {
    if (file.endsWith('index.ts')) continue;
    const text = readFileSync(join(root, file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    for (const node of source.statements.filter(ts.isTypeAliasDeclaration)) {
      found.set(node.name.text, { doc: docOf(node), type: node.type });
    }
  }
  return found;
}

/** The words of a declaration's comment, without the brackets of links. */
function docOf(node) {
  const comment = ts.getJSDocCommentsAndTags(node)[0]?.comment;
  return (ts.getTextOfJSDocComment(comment) ?? '').replace(/\[(`[^`]*`)\]/g, '$1');
}

/** The names that a type mentions. */
function mentioned(node, names = new Set()) {
  if (ts.isTypeReferenceNode(node)) names.add(node.typeName.text);
  node.forEachChild((child) => void mentioned(child, names));
  return names;
}

/** All declarations that these lead to. */
function reachable(types, roots) {
  const found = new Set();
  const waiting = [...roots];
  for (let name = waiting.pop(); name; name = waiting.pop()) {
    if (found.has(name) || !types.has(name)) continue;
    found.add(name);
    waiting.push(...mentioned(types.get(name).type));
  }
  return found;
}

const capital = (name) => name[0].toUpperCase() + name.slice(1);

/** A docstring, in lines of at most 100 characters. */
function docstring(text, indent) {
  const words = text.trim().split(/\s+/);
  const raw = text.includes('\\') ? 'r' : '';
  const lines = [`${indent}${raw}"""${words.shift() ?? ''}`];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= 96) lines[lines.length - 1] = longer;
    else lines.push(indent + word);
  }
  const end = lines.length > 1 ? `\n${indent}"""` : '"""';
  return text === '' ? '' : `${lines.join('\n')}${end}\n`;
}

class Writer {
  #types;
  #isSpec;
  #isResult;
  /** Classes by name, in order. */
  #classes = new Map();
  #aliases = [];

  constructor(types) {
    this.#types = types;
    const ending = (words) => [...types.keys()].filter((name) => words.test(name));
    const specs = Object.keys(VERBS).map((verb) => `${capital(verb)}Spec`);
    this.#isSpec = reachable(types, specs);
    this.#isResult = reachable(types, ending(/(Result|Progress)$/));
  }

  text() {
    for (const [name, { doc, type }] of this.#types) this.#declare(name, doc, type);
    this.#declareSamples();
    const verbs = Object.keys(VERBS).map((verb) => verbClass(verb));
    return [HEADER, ...this.#inOrder(), this.#aliases.join(''), ...verbs].join('\n\n');
  }

  /** The classes, each after the one that it is made of. */
  #inOrder() {
    const found = new Map();
    const add = (name) => {
      const text = this.#classes.get(name);
      if (text === undefined || found.has(name)) return;
      add(/^class \w+\((\w+)/.exec(text)?.[1]);
      found.set(name, text);
    };
    for (const name of this.#classes.keys()) add(name);
    return found.values();
  }

  #declare(name, doc, type) {
    if (name === 'CustomSpec') this.#classes.set(name, CUSTOM);
    else if (ts.isTypeLiteralNode(type)) this.#class(name, doc, type.members, 'TypedDict');
    else this.#alias(name, type);
  }

  #class(name, doc, members, base, own = '') {
    const isSpec = this.#isSpec.has(name) || !this.#isResult.has(name);
    const isVerbs = Object.keys(VERBS).some((verb) => `${capital(verb)}Spec` === name);
    const reserved = members.filter((member) => KEYWORDS.has(member.name.text));
    if (reserved.length > 0) {
      const others = members.filter((member) => !reserved.includes(member));
      const python = reserved.map(({ name: { text: field }, type }) => [
        field,
        this.#python(type, { field, isSpec, name }),
      ]);
      const lines = python.map(([field, type]) => `    {"${field}": "${type}"},\n`).join('');
      const called = `${name}Keywords`;
      this.#classes.set(
        called,
        `${called} = TypedDict(\n    "${called}",\n${lines}    total=False,\n)\n`,
      );
      return this.#class(name, doc, others, called, own);
    }
    const fields = members.map((member) => {
      const field = member.name.text;
      const text = docOf(member);
      const type = this.#python(member.type, { field, isSpec, name: name + capital(field) });
      const given = member.questionToken && !isVerbs ? `NotRequired[${type}]` : type;
      return `    ${field}: ${given}\n${docstring(text, '    ')}`;
    });
    const bases = isVerbs ? `${base}, total=False` : base;
    const body = own + fields.join('');
    const head = docstring(doc, '    ');
    const gap = head && body ? '\n' : '';
    this.#classes.set(
      name,
      `class ${name}(${bases}):\n${head}${gap}${body || (head ? '' : '    pass\n')}`,
    );
  }

  #alias(name, type) {
    const isSpec = this.#isSpec.has(name) || !this.#isResult.has(name);
    const stem = name.replace(/Spec$/, '');
    const python = this.#python(type, { field: '', isSpec, name: stem });
    this.#aliases.push(`${name}: TypeAlias = ${quoted(python, name)}\n`);
  }

  /** A type in Python's words. */
  #python(node, context) {
    const { isSpec, field, name } = context;
    const text = node.getText().replace(/\s+/g, ' ');
    if (/^(\w+Array \| )*\w+Array \| number\[\]$/.test(text)) return isSpec ? 'Numbers' : 'Floats';
    switch (text) {
      case 'Float64Array':
        return isSpec ? 'Numbers' : 'Floats';
      case 'Uint8Array':
        return isSpec ? 'Bytes' : 'Bits';
      case 'Array<number>':
      case 'number[]':
        if (isSpec) return 'Numbers';
    }
    if (ts.isUnionTypeNode(node)) return this.#union(node.types, context);
    if (ts.isIntersectionTypeNode(node) || ts.isTypeLiteralNode(node)) {
      return this.#inline(node, context);
    }
    if (ts.isMappedTypeNode(node)) {
      const value = this.#python(node.type, context);
      return isSpec ? `Mapping[str, ${value}]` : `dict[str, ${value}]`;
    }
    if (ts.isArrayTypeNode(node)) return this.#list(node.elementType, context);
    if (ts.isTupleTypeNode(node)) {
      return isSpec
        ? 'Sequence[Count]'
        : `tuple[${node.elements.map((each) => this.#python(each, context)).join(', ')}]`;
    }
    if (ts.isLiteralTypeNode(node)) {
      if (node.literal.kind === ts.SyntaxKind.NullKeyword) return 'None';
      return `Literal["${node.literal.text}"]`;
    }
    if (ts.isTypeReferenceNode(node)) {
      const called = node.typeName.text;
      if (called === 'Array') return this.#list(node.typeArguments[0], context);
      if (called === 'Record')
        return `Mapping[str, ${this.#python(node.typeArguments[1], context)}]`;
      // A fitted model has its parameters, by kind: what is read of it is not checked.
      if (called === 'ModelSpec' && !isSpec) return 'Any';
      return called;
    }
    switch (node.kind) {
      case ts.SyntaxKind.NumberKeyword:
        if (COUNT.test(field)) return isSpec ? 'Count' : 'int';
        return isSpec ? 'Number' : 'float';
      case ts.SyntaxKind.StringKeyword:
        return 'str';
      case ts.SyntaxKind.BooleanKeyword:
        return 'bool';
      case ts.SyntaxKind.UndefinedKeyword:
        return 'None';
    }
    throw new Failure(
      `${name}: ${text} has no type in Python yet; give it one in src/tools/python-types.mjs.`,
    );
  }

  #list(element, context) {
    const inner = this.#python(element, context);
    if (!context.isSpec) return `list[${inner}]`;
    // Lists of lists of numbers may be arrays.
    const isTable = /^(Numbers|Sequence\[Count\])$/.test(inner);
    return isTable ? 'Numbers' : `Sequence[${inner}]`;
  }

  #union(nodes, context) {
    const parts = nodes.map((node) => this.#python(node, context));
    const isText = parts.every((part) => part.startsWith('Literal['));
    if (isText) return `Literal[${parts.map((part) => part.slice(8, -1)).join(', ')}]`;
    return `Union[${[...new Set(parts)].join(', ')}]`;
  }

  /** A class for an object without a name; one of a union has the name of its kind. */
  #inline(node, { name, isSpec }) {
    const parts = ts.isIntersectionTypeNode(node) ? node.types : [node];
    const literal = parts.find(ts.isTypeLiteralNode);
    const base = parts.find(ts.isTypeReferenceNode)?.typeName.text;
    const kind = literal.members.find((member) => ts.isLiteralTypeNode(member.type));
    const others = literal.members.filter((member) => member !== kind);
    const ending = kind ? capital(kind.type.literal.text) : this.#types.has(name) ? 'Fields' : '';
    const called = name + ending;
    if (this.#classes.has(called) || this.#types.has(called)) {
      throw new Failure(`Two types would be called ${called} in ${target}.`);
    }
    (isSpec ? this.#isSpec : this.#isResult).add(called);
    const own = kind ? `    ${kind.name.text}: Literal["${kind.type.literal.text}"]\n` : '';
    const doc = base ? '' : docOf(node);
    this.#class(called, doc, others, base ?? 'TypedDict', own);
    return called;
  }

  /** One type of all results of `sample`. */
  #declareSamples() {
    this.#merged('AnySampleResult', SAMPLES);
  }

  #merged(name, parts) {
    const fields = new Map();
    for (const part of parts) {
      for (const member of this.#types.get(part).type.members) {
        const field = member.name.text;
        const type = this.#python(member.type, { field, isSpec: false, name: field });
        const entry = fields.get(field) ?? { types: new Set(), doc: docOf(member) };
        entry.types.add(type);
        fields.set(field, entry);
      }
    }
    const lines = [...fields].map(([field, { types, doc }]) => {
      let type = [...types].join(', ');
      if (types.size > 1) {
        type = `Any${capital(field)}`;
        this.#merged(type, [...types]);
      }
      return `    ${field}: ${type}\n${docstring(doc, '    ')}`;
    });
    const doc = `Any of ${parts.join(', ')}: which fields there are depends on the model.`;
    this.#classes.set(
      name,
      `class ${name}(TypedDict):\n${docstring(doc, '    ')}\n${lines.join('')}`,
    );
  }
}

/** The right side of an alias, which names what may come later in the file only in quotes. */
function quoted(python, name) {
  // Rows of bits may be an array, or the lists of it.
  const whole = name === 'DataSpec' ? python.replace(/\]$/, ', Numbers]') : python;
  if (whole.startsWith('Literal[')) return whole;
  return whole.startsWith('Union[')
    ? `Union[\n${inside(whole)
        .map((part) => `    "${part.replaceAll('"', "'")}",\n`)
        .join('')}]`
    : `"${whole}"`;
}

/** The parts of a union. */
function inside(union) {
  const parts = [''];
  let depth = 0;
  for (const c of union.slice('Union['.length, -1)) {
    depth += c === '[' ? 1 : c === ']' ? -1 : 0;
    if (c === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += c;
  }
  return parts.map((part) => part.trim());
}

/** The type of the function of a verb. */
function verbClass(verb) {
  const name = capital(verb);
  const result = verb === 'sample' ? 'AnySampleResult' : `${name}Result`;
  return `class ${name}Verb(Protocol):
    """${VERBS[verb]}"""

    def __call__(
        self,
        spec: ${name}Spec | None = None,
        /,
        *,
        on_progress: Callable[[${name}Progress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[${name}Spec],
    ) -> ${result}:
        """${VERBS[verb]}"""
        ...
`;
}

const text = () => new Writer(read()).text();

/** Fails unless the file is what the declarations give. */
export function checkPythonTypes() {
  if (readFileSync(join(root, target), 'utf8') === text()) return;
  throw new Failure(`${target} is out of date: run \`npm run types\` and commit the result.`);
}

/** Rewrites the file. */
export function writePythonTypes() {
  writeFileSync(join(root, target), text());
  say(`Wrote ${target}.`);
}

await main(import.meta.url, (args) =>
  args.includes('--check') ? checkPythonTypes() : writePythonTypes(),
);

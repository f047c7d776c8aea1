/** Structures as the engine writes them, `M(GMᵀ + G) + G`, taken apart and said in words. Imports nothing: the tests run it in Node. */

/** A matrix of the text; `place` counts its letters, from 0. */
export interface Leaf {
  letter: 'G' | 'M' | 'B' | 'C';
  place: number;
}

/** A sum of products and noise; `scale` is exp(…) ∘ G, with that G as `leaf`. */
export type Expression =
  | { kind: 'gaussian'; leaf: Leaf }
  | { kind: 'scale'; of: Expression; leaf: Leaf }
  | { kind: 'sum'; terms: { left: Factor; right: Factor }[]; noise: Expression };

/** A matrix of ones and zeros, or an expression. */
export type Factor = Leaf | Expression;

/** What is drawn of a text: its letters, each with the mark of its transpose, and what stands between them. */
export function tokensOf(text: string): string[] {
  return text.match(/exp\(|[GMBC]ᵀ?|[()+∘]/g) ?? [];
}

/** Takes a text apart. */
export function parse(text: string): Expression {
  const tokens = tokensOf(text);
  let [at, place] = [0, 0];
  const isNext = (token: string) => tokens[at] === token && at++ >= 0;
  const expect = (token: string) => {
    if (!isNext(token)) throw new Error(`${text} is no structure: “${token}” is missing.`);
  };
  const gaussian = (): Leaf => {
    expect('G');
    return { letter: 'G', place: place++ };
  };
  const expression = (): Expression => {
    const terms: { left: Factor; right: Factor }[] = [];
    for (;;) {
      const noise = isNext('exp(') ? scale() : undefined;
      if (noise) return terms.length > 0 ? { kind: 'sum', terms, noise } : noise;
      const left = factor();
      if (/^[GMBC(]/.test(tokens[at] ?? '')) {
        terms.push({ left, right: factor() });
        expect('+');
      } else if ('letter' in left) {
        throw new Error(`${text} is no structure: ${left.letter} stands alone.`);
      } else {
        return terms.length > 0 ? { kind: 'sum', terms, noise: left } : left;
      }
    }
  };
  const scale = (): Expression => {
    const of = expression();
    expect(')');
    expect('∘');
    return { kind: 'scale', of, leaf: gaussian() };
  };
  const factor = (): Factor => {
    if (isNext('(')) {
      const inner = expression();
      expect(')');
      return inner;
    }
    const letter = tokens[at]?.charAt(0);
    if (letter !== 'M' && letter !== 'B' && letter !== 'C')
      return { kind: 'gaussian', leaf: gaussian() };
    at++;
    return { letter, place: place++ };
  };
  const whole = expression();
  if (at < tokens.length) throw new Error(`${text} is no structure: it goes on after its end.`);
  return whole;
}

/** Structures that have a name. */
const NAMES: Record<string, string> = {
  G: 'nothing but independent noise',
  'M(GMᵀ + G) + G': 'co-clustering, clusters of rows and of columns',
  '(MG + G)Mᵀ + G': 'co-clustering, clusters of rows and of columns',
  '(CG + G)G + G': 'a linear dynamical system down the rows',
  'G(GCᵀ + G) + G': 'a linear dynamical system along the columns',
  '(exp(G) ∘ G)G + G': 'sparse coding of the rows',
  'G(exp(G) ∘ G) + G': 'sparse coding of the columns',
};

/** What a table with this structure is made of. */
export function structureWords(text: string): string {
  return NAMES[text] ?? wordsOf(parse(text));
}

/** What rows or columns have that are multiplied by M, B or C, and what the other factor is. */
const FACTORS = {
  M: { what: 'clusters', other: 'centres' },
  B: { what: 'overlapping attributes', other: 'features' },
  C: { what: 'random walks', other: 'steps' },
};

function wordsOf(expression: Expression): string {
  if (expression.kind === 'gaussian') return 'independent noise';
  if (expression.kind === 'scale')
    return `entries with scales of their own${detail('which have', expression.of)}`;
  const terms = expression.terms.map(({ left, right }) => termWords(left, right));
  const scales = expression.noise.kind === 'scale' ? ['noise with scales of its own'] : [];
  return [...terms, ...scales].join(', plus ');
}

function termWords(left: Factor, right: Factor): string {
  if ('letter' in left) return binaryWords(left, right, 'rows', 'down the columns');
  if ('letter' in right) return binaryWords(right, left, 'columns', 'along the rows');
  return `low rank${detail('with scores of the rows that have', left)}${detail('with loadings of the columns that have', right)}`;
}

function binaryWords({ letter }: Leaf, factor: Factor, lines: string, way: string): string {
  if (letter === 'G' || 'letter' in factor) return '';
  const { what, other } = FACTORS[letter];
  return `${what} ${letter === 'C' ? way : `of ${lines}`}${detail(`whose ${other} have`, factor)}`;
}

/** More of a part, where there is more to say than that it is Gaussian. */
function detail(words: string, factor: Expression): string {
  return factor.kind === 'gaussian' ? '' : `, ${words} ${wordsOf(factor)}`;
}

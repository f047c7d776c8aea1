/** Texts with marks in them, of which translations may change the order. */

/** What a mark may be: an element, `f` for what stays in one line, or the number of a link. */
const MARK = /<(var|em|strong|code|sub|sup|f|\d)>([\s\S]*?)<\/\1>/;

export type Piece = string | { mark: string; inside: readonly Piece[] };

export function piecesOf(text: string): readonly Piece[] {
  const found = MARK.exec(text);
  if (!found) return text === '' ? [] : [text];
  const [whole, mark = '', inside = ''] = found;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + whole.length);
  return [...piecesOf(before), { mark, inside: piecesOf(inside) }, ...piecesOf(after)];
}

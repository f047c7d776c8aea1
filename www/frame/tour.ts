/** The tour of a lab: three things to do in it, and what is seen then. Where a step is shown is computed here. */

/** Parts that every lab has; they bear these names as `data-part`. */
const PARTS = ['run', 'settings', 'pictures', 'numbers', 'findings', 'code'] as const;

type Part = (typeof PARTS)[number];

export interface TourStep {
  /** What the step speaks of: a part that every lab has, or a CSS selector of what is in this lab from the start. */
  at: Part | (string & {});
  /** What to do and what to see, in at most 200 characters. */
  say: string;
}

export type TourSteps = readonly [TourStep, TourStep, TourStep];

/** What a step speaks of, or nothing where the lab lacks it. */
export function partOf(article: Element, { at }: TourStep): HTMLElement | null {
  const isPart = (PARTS as readonly string[]).includes(at);
  return article.querySelector<HTMLElement>(isPart ? `[data-part="${at}"]` : at);
}

/** In CSS pixels from the left and the top of the page. */
interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Between the outline and the dialog, and between both and the edges of the window. */
const GAP = 12;
/** From a part to its outline. */
const AROUND = 6;

/**
 * Where the outline of a part and the dialog beside it go: right of the part, else left of it, else below. Of a part that
 * leaves the dialog no room in the window, the beginning is outlined. `range` is what has to be seen, from top to bottom.
 */
export function placed(
  part: Box,
  dialog: { width: number; height: number },
  /** Its width and height, and how much of its top is hidden. */
  view: { width: number; height: number; hidden: number },
  /** The dialog is at the bottom of the window, wherever the part is. */
  isSheet: boolean,
): { outline: Box; left: number; top: number; range: [number, number] } {
  const left = Math.max(2, part.left - AROUND);
  const right = Math.min(view.width - 2, part.left + part.width + AROUND);
  const top = Math.max(2, part.top - AROUND);
  const full = part.top + part.height + AROUND - top;
  const room = view.height - view.hidden - 2 * GAP;
  const outlined = (most: number) => ({
    left,
    top,
    width: right - left,
    height: Math.min(full, most),
  });

  const sides = [right + GAP, left - GAP - dialog.width];
  const beside = sides.find((x) => x >= GAP && x + dialog.width <= view.width - GAP);
  if (beside !== undefined && !isSheet) {
    const outline = outlined(room);
    const bottom = top + Math.max(outline.height, dialog.height);
    return { outline, left: beside, top, range: [top, bottom] };
  }
  const outline = outlined(room - GAP - dialog.height);
  const below = top + outline.height + GAP;
  const start = Math.max(GAP, Math.min(left, view.width - GAP - dialog.width));
  return { outline, left: start, top: below, range: [top, below + dialog.height] };
}

/** Where the page has to be scrolled to for a range to be seen, or nothing where it is. */
export function scrolledTo(
  [top, bottom]: [number, number],
  view: { height: number; hidden: number },
  now: number,
): number | undefined {
  const most = top - GAP - view.hidden;
  const least = bottom + GAP - view.height;
  return now >= least && now <= most ? undefined : Math.max(0, (least + most) / 2);
}

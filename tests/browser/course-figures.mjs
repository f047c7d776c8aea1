/** The figures of a chapter under test. */

/** A figure of the page, once it is live. */
export async function figureOf(page, name) {
  const figure = page.locator(`[data-figure="${name}"]`);
  await figure.scrollIntoViewIfNeeded();
  await figure.and(page.locator('[data-state="live"]')).waitFor();
  return figure;
}

/** Moves a slider of a figure to a value. */
export const slide = (figure, label, value) =>
  figure.getByLabel(label, { exact: true }).fill(String(value));

/** The sentence of numbers below a figure. */
export const readingOf = (figure) => figure.locator('.reading').textContent();

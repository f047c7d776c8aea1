/** The figures of a chapter of the course, on the built site. */
import { drawn } from './site-under-test.mjs';

/** Opens a chapter and brings one of its figures into view, where it comes alive. */
export async function openFigure(site, chapter, name, options = {}) {
  const { page, problems } = await site.page(`docs/course/${chapter}/`, options);
  const figure = page.locator(`[data-figure="${name}"]`);
  await figure.scrollIntoViewIfNeeded();
  await figure.and(page.locator('[data-state="live"]')).waitFor();
  const reading = figure.locator('.reading').first();
  const canvasOf = (picture) =>
    typeof picture === 'number'
      ? figure.locator('canvas').nth(picture)
      : figure.locator(`canvas[data-picture="${picture}"]`);
  /** What a canvas shows now, by its `data-picture` or by its place, as a text that differs where any pixel does. */
  const pixels = async (picture = 0) => {
    await drawn(page);
    return canvasOf(picture).evaluate((element) => element.toDataURL());
  };
  return {
    page,
    problems,
    figure,
    pixels,
    /** Moves a slider by its label. */
    slide: (label, value) =>
      figure.getByRole('slider', { name: label, exact: true }).fill(String(value)),
    /** Makes a choice, of the group of a name where there are several. */
    choose: (option, group) =>
      (group ? figure.getByRole('group', { name: group, exact: true }) : figure)
        .getByRole('radio', { name: option, exact: true })
        .check(),
    press: (label) => figure.getByRole('button', { name: label, exact: true }).click(),
    /** The sentence of numbers below the figure. */
    reading: () => reading.textContent(),
    /** Waits until it says something, and gives all of it. */
    says: async (text) => {
      await figure.locator('.reading').filter({ hasText: text }).first().waitFor();
      return reading.textContent();
    },
    /** Waits until a picture no longer shows what it did. */
    untilOther: async (picture, before) => {
      const handle = await canvasOf(picture).elementHandle();
      await page.waitForFunction(
        ([canvas, before]) => canvas.toDataURL() !== before,
        [handle, before],
      );
    },
  };
}

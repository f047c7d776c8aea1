/** Blocks of live code in a page under test. */

/** Where the guide to it is, whose blocks are the first two there. */
export const GUIDE = 'docs/guides/live-code/';

/** The blocks that can be run. */
export const figuresOf = (page) => page.locator('figure.code[data-live]');

/** Puts code in place of that of a block, or what `change` makes of it, in its editor. */
export async function edit(page, block, code, { append = false } = {}) {
  const button = block.getByRole('button', { name: /^Edit( the code)?$/ });
  const editor = block.locator('.cm-content');
  // What edits the code of a lab comes when there is time.
  await button.or(editor).first().waitFor();
  if (await button.isVisible()) await button.click();
  await editor.focus();
  await page.keyboard.press(append ? 'Control+End' : 'Control+A');
  await page.keyboard.insertText(code);
}

/** What says how a run stands. */
export const statusOf = (block) => block.locator('[data-live-status]');

/** Waits until a run stands in one of some ways. */
export async function untilLive(block, ...statuses) {
  const any = statuses.map((status) => `[data-live-status="${status}"]`).join(', ');
  await block.locator(any).waitFor({ state: 'attached' });
}

/** Runs a block to its end and gives what it printed, a text an entry. */
export async function run(block) {
  await block.getByRole('button', { name: /^Run( the code)?$/ }).click();
  await untilLive(block, 'done', 'failed');
  return printed(block);
}

/** What a block has printed, a text an entry. */
export const printed = (block) => block.locator('[role="log"] pre').allTextContents();
/** With what a run has failed. */
export const failure = (block) => block.locator('.failure').textContent();

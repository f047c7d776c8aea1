/**
 * What does not fit about a page as it is now, in both themes, in words: it is no wider than its window, no longer than what it
 * shows, no code is taller than a screen unless it was unfolded, and the pictures of a lab begin on the first screen. On a desk
 * nine tenths of the first are there, with the button that runs it.
 */
export function faultsOf(page) {
  return page.evaluate(() => {
    const root = document.documentElement;
    const placeOf = (element) => element.getBoundingClientRect();
    const says = ({ childNodes }) =>
      [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');

    function* faults() {
      const { body } = document;
      const sideways = body.scrollWidth - body.clientWidth;
      if (sideways > 0) yield `${sideways} px wider than the window`;

      const footer = placeOf(document.querySelector('footer'));
      const below = root.scrollHeight - (footer.bottom + scrollY);
      if (Math.abs(below) > 2) yield `${below} px below the footer`;
      // What is beside the text is no reason for the page to go on: only the list of all pages may follow it, on a phone.
      const parts = [...document.querySelectorAll('main *')];
      const ends = parts
        .filter((one) => !one.firstChild || says(one))
        .map((one) => placeOf(one).bottom);
      const list = document.querySelector('nav.pages');
      if (list && placeOf(list).top >= Math.max(...ends)) ends.push(placeOf(list).bottom);
      const gap = footer.top - Math.max(...ends);
      if (root.scrollHeight > innerHeight && gap > 112)
        yield `${gap} px of nothing above the footer`;

      for (const code of document.querySelectorAll('pre')) {
        const { height } = placeOf(code);
        if (height > innerHeight) yield `code of ${height} px: ${code.textContent.slice(0, 60)}`;
      }

      const pictures = document.querySelector('.stage .pictures');
      if (!pictures) return;
      const { top, bottom } = placeOf(pictures);
      const button = placeOf(document.querySelector('[data-action="primary"]'));
      if (button.bottom > innerHeight) yield 'the button is below the first screen';
      const seen = Math.min(innerHeight, bottom) - top;
      if (seen < 0.2 * innerHeight) yield `${seen} px of the pictures on the first screen`;
      // In the lab of ratings the first thing to see is a list of them.
      const first = pictures.querySelector('canvas, svg[role="img"]');
      const isList = location.pathname.endsWith('/topics-and-taste/');
      if (innerWidth < 1000 || isList || !first) return;
      const place = placeOf(first);
      const share = (innerHeight - place.top) / place.height;
      if (share < 0.9) yield `${share} of the first picture on the first screen`;
    }

    const { theme: before } = root.dataset;
    const found = ['light', 'dark'].flatMap((theme) => {
      root.dataset.theme = theme;
      return [...faults()].map((fault) => `${innerWidth} px, ${theme}: ${fault}`);
    });
    root.dataset.theme = before;
    return found;
  });
}

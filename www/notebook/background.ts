/** Whether the background behind an element is dark. Each notebook has its own themes, and none says in a common way which it shows. */
export function isOnDark(element: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const [light, alpha] = lightnessOf(getComputedStyle(at).backgroundColor);
    if (alpha > 0.5) return light < 0.5;
  }
  // Nothing has a background: then it is dark where the text is light.
  return lightnessOf(getComputedStyle(element).color)[0] > 0.5;
}

function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return (
    element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
  );
}

/** Lightness and opacity of a colour of CSS, both from 0 to 1; the canvas reads every notation. */
function lightnessOf(colour: string): [lightness: number, alpha: number] {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const context = canvas.getContext('2d');
  if (!context) return [1, 0];
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
  return [(0.3 * red + 0.59 * green + 0.11 * blue) / 255, alpha / 255];
}

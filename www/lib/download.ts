/** Files made on the page, handed to the visitor. */
export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: some browsers start reading after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * `fetch` over the files that the page has given. There is no network here; what can be read are the files in this
 * site's folder `data` that the code names by their whole address.
 */
export function given(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): typeof fetch {
  return async (request) => {
    const address = request instanceof Request ? request.url : String(request);
    const bytes = files.get(address);
    if (bytes) return new Response(bytes.slice());
    throw new TypeError(
      `“${address}” cannot be fetched: code on this page has no network. It may read the files in this site's folder data, by an address that is written out in the code.`,
    );
  };
}

/** The files that the site brings along: data of the labs. In a notebook `notebook/site-files.ts` stands in for this one. */

/** The address of a file, from its path below the root of the site. From the page of a lab. */
export function addressOnSite(path: string): string {
  return new URL(`../../${path}`, location.href.replace(/[?#].*$/, '')).href;
}

/** The same for an `img` element. */
export function imageSource(address: string): string | Promise<string> {
  return address;
}

/** A file of the site by its address. What is not there is a response that is not `ok`. */
export function fetchFile(address: string): Promise<Response> {
  return fetch(address);
}

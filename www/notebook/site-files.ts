/** The files of `lib/site-files.ts` in a notebook: the widget around the page has them from Python, over its port. */
import type { ToNotebookLab } from '../embed/messages.js';
import { host } from './host.js';
import { ADDRESS } from './names.js';

export function addressOnSite(path: string): string {
  return ADDRESS + path.replace(/^data\//, '');
}

/** A data: URL, which no one has to revoke. */
export async function imageSource(address: string): Promise<string> {
  const blob = await (await fetchFile(address)).blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    // Its type is missing: browsers see what an image is by its bytes.
    reader.readAsDataURL(blob);
  });
}

export async function fetchFile(address: string): Promise<Response> {
  const name = address.slice(ADDRESS.length);
  const port = await host;
  return new Promise((resolve) => {
    const hear = ({ data }: MessageEvent<ToNotebookLab>) => {
      if (data.type !== 'file' || data.name !== name) return;
      port.removeEventListener('message', hear);
      resolve(new Response(data.bytes ?? null, { status: data.bytes ? 200 : 404 }));
    };
    port.addEventListener('message', hear);
    port.postMessage({ type: 'file', name });
  });
}

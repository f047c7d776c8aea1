/**
 * Runs a program in a frame that has no origin, no storage, no network and no document that a program could reach. Its
 * messages come through a port that only the frame has, and are checked and counted.
 */
import frameHtml from 'virtual:live-frame';
import runtimeUrl from 'virtual:live-runtime';
import { type FromProgram, MAX_SENT, readMessage, sizeOf, type ToProgram } from './messages.js';
import type { Program } from './program.js';

export interface Sandbox {
  /** Ends the program, whatever it does. */
  stop(): void;
  /** Asks the program for a sign of life, which comes as a `pong`. */
  ping(): void;
}

let runtimeText: Promise<string> | undefined;

async function runtime(): Promise<string> {
  const response = await fetch(runtimeUrl);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
}

/** The files in this site's folder `data` that the code names by their address, from there. */
async function filesIn(code: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const folder = new URL('../data/', new URL(runtimeUrl, import.meta.url)).href;
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [address] of code.matchAll(/https?:\/\/[^\s'"`<>]+/g)) {
    if (!new URL(address).href.startsWith(folder) || files.has(address)) continue;
    const response = await fetch(address);
    if (response.ok) files.set(address, new Uint8Array(await response.arrayBuffer()));
  }
  return files;
}

/**
 * Starts a program below an element. Rejects where what it needs cannot be loaded. `signal` ends it at any time.
 * @param on gets what the program says, with the lines of a failure as those of the program's text
 */
export async function openSandbox(
  program: Program,
  {
    host,
    signal,
    on,
  }: { host: HTMLElement; signal: AbortSignal; on: (message: FromProgram) => void },
): Promise<Sandbox> {
  runtimeText ??= runtime();
  // What failed once, without a network perhaps, is tried again.
  runtimeText.catch(() => {
    runtimeText = undefined;
  });
  const [text, files] = await Promise.all([runtimeText, filesIn(program.text)]);
  signal.throwIfAborted();

  const before = text.split('\n').length;
  const frame = document.createElement('iframe');
  frame.sandbox.add('allow-scripts');
  frame.title = 'Sandbox of the running code';
  frame.hidden = true;
  const address = URL.createObjectURL(new Blob([frameHtml], { type: 'text/html' }));
  frame.src = address;
  const { port1: port, port2 } = new MessageChannel();
  const sent = { messages: 0, size: 0 };
  let pings = 0;

  const stop = () => {
    signal.removeEventListener('abort', stop);
    port.onmessage = null;
    port.close();
    frame.remove();
  };
  signal.addEventListener('abort', stop);

  port.onmessage = ({ data }) => {
    const message = readMessage(data);
    if (message?.kind === 'pong' && pings > 0) pings -= 1;
    else sent.messages += 1;
    sent.size += message ? sizeOf(message) : 1;
    if (sent.messages > MAX_SENT.messages || sent.size > MAX_SENT.size) {
      stop();
      on({ kind: 'failed', text: 'It was stopped: it sent more than a page takes.', lines: [] });
    } else if (message?.kind === 'failed') {
      on({ ...message, lines: message.lines.map((line) => line - 1 - before) });
    } else if (message) on(message);
  };

  frame.addEventListener(
    'load',
    () => {
      URL.revokeObjectURL(address);
      const start: ToProgram = { kind: 'start', files };
      const script = `${text}\n${program.text}`;
      // The frame has no origin that could be named; nobody else can be in it.
      frame.contentWindow?.postMessage({ script, start }, '*', [port2]);
    },
    { once: true },
  );
  host.append(frame);
  return {
    stop,
    ping() {
      pings += 1;
      port.postMessage({ kind: 'ping' } satisfies ToProgram);
    },
  };
}

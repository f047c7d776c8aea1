// The one script of the sandboxed frame. The frame has no origin and no network, by its attribute and its policy; the
// program runs in a worker of it, so that it has no document either, and an endless loop holds up nobody.
addEventListener('message', ({ source, data, ports: [page] }) => {
  if (source !== parent || !page) return;
  const url = URL.createObjectURL(new Blob([data.script], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.onmessage = (event) => page.postMessage(event.data);
  worker.onerror = ({ message, lineno }) =>
    page.postMessage({ kind: 'failed', text: message || 'It did not start.', lines: [lineno] });
  page.onmessage = (event) => worker.postMessage(event.data);
  worker.postMessage(data.start);
});

/** The port to the widget around this page; `shell/embedded.ts` speaks over it, too. */
export const host = new Promise<MessagePort>((resolve) => {
  addEventListener('message', ({ source, data, ports: [port] }) => {
    if (source === parent && data?.unnorm === 'connect' && port) resolve(port);
  });
});

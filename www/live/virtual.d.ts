/** The document of the sandboxed frame, as HTML. */
declare module 'virtual:live-frame' {
  const html: string;
  export default html;
}

/** The address of the runtime's script. */
declare module 'virtual:live-runtime' {
  const url: string;
  export default url;
}

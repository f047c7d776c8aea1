import type { Plugin } from 'vite';
import { frameScript, hashOf } from './live.js';

/**
 * Writes a strict content security policy into every built page: nothing but the site's own files, and no inline
 * script other than those in the page's source and that of the frame for live code, which are named by their hash.
 */
export function contentSecurityPolicy(root: string): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(source) {
        // What scripts in the page's source say to those who read it, no visitor has to fetch.
        const html = source.replace(/<script>[\s\S]*?<\/script>/g, (script) =>
          script.replace(/^\s*\/\/.*\n|^ +/gm, ''),
        );
        const inline = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, source]) =>
          hashOf(source ?? ''),
        );
        inline.push(frameScript(root).hash);
        const policy = [
          "default-src 'self'",
          ["script-src 'self' 'wasm-unsafe-eval'", ...inline].join(' '),
          "worker-src 'self' blob:",
          'frame-src blob:',
          "style-src 'self' 'unsafe-inline'",
          "img-src 'self' data: blob:",
          "base-uri 'none'",
          "form-action 'none'",
          "object-src 'none'",
        ].join('; ');
        // First in the head: a policy holds only for what comes after it.
        return html.replace(
          /<meta charset="[^"]*"\s*\/?>/,
          (charset) =>
            `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
        );
      },
    },
  };
}

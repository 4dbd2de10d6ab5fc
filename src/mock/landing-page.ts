import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Start page of a mock: HTML that describes the mock and links to its documents. */
export interface LandingPage {
  readonly html: string;
  /** Value of the header Content-Security-Policy. */
  readonly policy: string;
}

/** Descriptions of the mocks for the start page, by kind of mock. */
const kinds = {
  stateless: {
    title: 'Mock from the documents',
    text: 'Every operation answers with the example of its document. Records have ended, lists are short, and nothing is kept.',
  },
  stateful: {
    title: 'Stateful mock',
    text: 'Sessions, runs and browsers move through their states as those of the service do, with no browser and no cost. Everything is gone when it stops.',
  },
  replay: {
    title: 'Mock from a recording',
    text: 'Each call gets the answer of the recorded call that is most like it.',
  },
} as const;

const style = `
:root{color-scheme:light dark;--back:light-dark(#f4f6f8,#0f1216);--panel:light-dark(#fff,#181c21);--line:light-dark(#d5dae0,#323942);--text:light-dark(#171b20,#e8ecf0);--soft:light-dark(#515b66,#a7b1bb);--accent:light-dark(#0b57b0,#8fc1ff)}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1rem}
h1{margin:0 0 .5rem;font-size:1.75rem;line-height:1.2}
h2{margin:2rem 0 .5rem;font-size:1.1rem}
p{margin:0 0 1rem;color:var(--soft)}
ul{list-style:none;margin:0;padding:0;display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(min(16rem,100%),1fr))}
li a{display:block;height:100%;padding:1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--panel);color:inherit;text-decoration:none}
li a:hover,li a:focus-visible{border-color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
li strong{display:block;color:var(--accent);text-decoration:underline}
li span{color:var(--soft);font-size:.9rem}
pre{margin:0;padding:1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--panel);font:.875rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
`;

interface Link {
  readonly to: string;
  readonly name: string;
  readonly text: string;
}

const links: readonly Link[] = [
  { to: '/docs', name: 'API reference', text: 'Every operation of V2, V3 and V4, with examples' },
  { to: '/log', name: 'Request log', text: 'Each call as it comes, and what it kept or broke' },
  { to: '/openapi/v4.json', name: 'V4 document', text: 'OpenAPI 3.1, for generators' },
  { to: '/openapi/v3.json', name: 'V3 document', text: 'OpenAPI 3.1, for generators' },
  { to: '/openapi/v2.json', name: 'V2 document', text: 'OpenAPI 3.1, for generators' },
];
const consoleLink: Link = {
  to: '/?console',
  name: 'Console',
  text: 'The page of the service, over simulated sessions',
};

/** Renders the start page of a stateless, stateful or replay mock. The page contains no API key. */
export function landingPage(kind: keyof typeof kinds): LandingPage {
  const { title, text } = kinds[kind];
  const shown = kind === 'stateful' ? [...links.slice(0, 2), consoleLink, ...links.slice(2)] : links;
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    html: [
      '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">',
      `<meta name="robots" content="noindex">\n<title>svc mock</title>\n<link rel="icon" href="data:,">\n<style>${style}</style>\n</head>`,
      `<body>\n<main>\n<h1>${title}</h1>\n<p>${text}</p>`,
      `<ul>\n${shown.map(item).join('\n')}\n</ul>`,
      '<h2>First request</h2>\n<p>Send the API key that <code>svc mock</code> printed when it started.</p>',
      "<pre><code>curl http://HOST:PORT/api/v4/runs -H 'X-Service-API-Key: svc_mock'</code></pre>",
      '</main>\n</body>\n</html>\n',
    ].join('\n'),
    policy: `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  };
}

function item({ to, name, text }: Link): string {
  return `<li><a href="${to}"><strong>${name}</strong><span>${text}</span></a></li>`;
}

/** Serves the start page at `/` for requests without a query, even if another route has this path. */
export function addLandingPage(app: FastifyInstance, { html, policy }: LandingPage): void {
  app.addHook('onRequest', async ({ url, method, headers }, reply) => {
    if (url !== '/' || (method !== 'GET' && method !== 'HEAD')) return;
    const address = `http://${(headers.host ?? 'localhost').replaceAll(/[^\w.:[\]-]/g, '')}`;
    const page = html.replace('http://HOST:PORT', address);
    await reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page);
  });
}

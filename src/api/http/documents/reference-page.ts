import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { createHash } from 'node:crypto';
import { fastify } from 'fastify';
import { loadOptional, MissingPackage } from '#contract/load-optional.ts';
import { lifeCyclePictures } from '#generated/life-cycle-pictures.ts';

/** API versions with a document, newest first, as the reference lists them. */
const documentVersions = ['v4', 'v3', 'v2'] as const;

/** An API version with a document. */
export type DocumentVersion = (typeof documentVersions)[number];

/**
 * The bundled OpenAPI 3.1 documents by API version, with the reasoning matrices compiled into their schemas. Never
 * modified.
 */
export const documents: Readonly<Record<DocumentVersion, object>> = { v4, v3, v2 };

/** Members of Scalar's configuration that all documents share. They disable requests and storage outside this page. */
const settings = {
  theme: 'default',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: true,
  modelsSectionLabel: 'Schemas',
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'ApiKey' },
} as const;

/**
 * Style corrections of Scalar, and the style of the life-cycle diagrams. Without the corrections, Scalar shows base64
 * instead of an empty API key, which looks like a real key. It also draws a clipped frame around the operation that the
 * URL names, and breaks words inside table cells of equal width.
 */
const style = `<style>
.scalar-password-input::placeholder { color: transparent !important }
.section[tabindex="-1"]:focus { outline: none }
.markdown table { table-layout: auto !important }
.markdown :is(td, th), .markdown td code { word-break: normal !important }
.life-cycle { display: block; width: 100%; max-width: 27rem; height: auto; margin: 1rem 0; font: 500 11px/1 system-ui, sans-serif }
.life-cycle text { fill: var(--scalar-color-1) }
.life-cycle .state rect { fill: var(--scalar-background-2); stroke: var(--scalar-color-3) }
.life-cycle .state text:not(.kind) { font-size: 14px; font-weight: 600 }
.life-cycle .state rect.kind { stroke: none }
.life-cycle .pending rect.kind { fill: var(--scalar-color-orange) }
.life-cycle .live rect.kind { fill: var(--scalar-color-green) }
.life-cycle .end rect.kind { fill: var(--scalar-color-3) }
.life-cycle .move path { fill: none; stroke: var(--scalar-color-2) }
.life-cycle .move .arrow, .life-cycle .move circle { fill: var(--scalar-color-2); stroke: none }
.life-cycle .move .number { fill: var(--scalar-background-1); stroke: var(--scalar-color-2) }
.life-cycle .move text { text-anchor: middle }
</style>`;

/**
 * HTML templates with the life-cycle diagrams of all documents. The script of the page inserts each diagram into its
 * empty element in an introduction.
 */
const pictures = Object.entries(lifeCyclePictures)
  .map(([name, picture]) => `<template id="${name}">${picture}</template>`)
  .join('\n');

/**
 * Script that starts Scalar with the configurations in the page, and inserts the diagrams into the introductions,
 * because Scalar keeps only text elements. Its URLs are relative, so that the page works below any path prefix.
 */
export const startScript = `const given = JSON.parse(document.getElementById('configurations').textContent);
const here = (path) => new URL(path, document.baseURI).href;
const resolved = ({ url, servers, ...rest }) =>
  url === undefined ? rest : { ...rest, url: here(url), servers: servers.map((server) => ({ url: here(server.url) })) };
const show = () => {
  for (const place of document.querySelectorAll('div[class^="life-cycle-"]:empty'))
    place.append(document.getElementById(place.className)?.content.cloneNode(true) ?? '');
};
new MutationObserver(show).observe(document.getElementById('app'), { childList: true, subtree: true });
Scalar.createApiReference('#app', given.map(resolved));
`;

/** Content security policy of the served page: scripts and requests of this server only. Scalar needs inline styles. */
export const servedPolicy = `${policy({ scripts: "'self'", connections: "'self'" })}; frame-ancestors 'none'`;

/** Renders the reference page, which loads `docs/scalar.js`, `docs/start.js` and `openapi/v*.json` by relative URLs. */
export function servedPage(): string {
  const configurations = documentVersions.map((version, index) => ({
    ...named(version, index),
    url: `openapi/${version}.json`,
    servers: [{ url: `api/${version}` }],
  }));
  return page({
    configurations,
    head: '',
    scripts: '<script src="docs/scalar.js"></script>\n<script src="docs/start.js"></script>',
  });
}

/** Renders the page that replaces the reference when its package is not installed. */
export function absentPage(reason: string): string {
  const links = documentVersions.map((version) => `<li><a href="openapi/${version}.json">${version}.json</a></li>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>API reference</title>
<p>${insideText(reason)}</p>
<p>The documents themselves:</p>
<ul>${links.join('')}</ul>
</html>
`;
}

function insideText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Renders the reference as one file of about 4.4 MB that works offline. It contains scripts and documents, and its
 * policy forbids every connection, so requests cannot be tried from it.
 */
export function standalonePage(scalar: string): string {
  const configurations = documentVersions.map((version, index) => ({
    ...named(version, index),
    content: documents[version],
    hideTestRequestButton: true,
  }));
  const scripts = [scalar, startScript].map(insideHtml);
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  return page({
    configurations,
    head: `<meta http-equiv="content-security-policy" content="${policy({ scripts: hashes, connections: "'none'" })}">\n`,
    scripts: scripts.map((text) => `<script>${text}</script>`).join('\n'),
  });
}

function named(version: DocumentVersion, index: number): object {
  return { ...settings, title: version.toUpperCase(), slug: version, default: index === 0 };
}

function policy({ scripts, connections }: { readonly scripts: string; readonly connections: string }): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    `connect-src ${connections}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

interface PageDeps {
  readonly configurations: readonly object[];
  /** HTML of the head element. */
  readonly head: string;
  /** HTML that loads and starts Scalar. */
  readonly scripts: string;
}

function page({ configurations, head, scripts }: PageDeps): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="data:,">
${style}
</head>
<body>
<noscript>The reference needs JavaScript. The documents themselves are openapi/v2.json, openapi/v3.json and openapi/v4.json.</noscript>
<div id="app"></div>
${pictures}
<script type="application/json" id="configurations">${JSON.stringify(configurations).replaceAll('<', '\\u003c')}</script>
${scripts}
</body>
</html>
`;
}

/** Escapes a script for use inside an HTML document. */
function insideHtml(script: string): string {
  return script.replaceAll(/<(?=\/script|!--|script)/gi, '\\x3c');
}

/**
 * Returns Scalar's browser bundle (MIT), about 4.4 MB of JavaScript that defines `Scalar`. Its npm package offers the
 * bundle only through its Fastify plugin, which this function calls in-process, without network. The bundle is read on
 * the first call, because most servers never show the page.
 * @throws when the package is not installed, or its plugin returns no script, which a new version may do
 */
export function referenceScript(): Promise<string> {
  loading ??= load();
  return loading;
}

let loading: Promise<string> | undefined;

const name = '@scalar/fastify-api-reference';

/**
 * Returns why the reference page is not available, with the command that installs its package; null if it is available.
 */
export async function missingReference(): Promise<string | null> {
  try {
    await loadOptional('reference', async () => import.meta.resolve(name));
    return null;
  } catch (error) {
    if (error instanceof MissingPackage) return error.message;
    throw error;
  }
}

async function load(): Promise<string> {
  const { default: plugin } = await loadOptional('reference', () => import('@scalar/fastify-api-reference'));
  const app = fastify();
  await app.register(plugin, { routePrefix: '/reference', configuration: { sources: [] } });
  const answer = await app.inject('/reference/js/scalar.js');
  await app.close();
  if (answer.statusCode === 200 && answer.body.includes('createApiReference')) return answer.body;
  throw new Error(
    `@scalar/fastify-api-reference: found status ${answer.statusCode} for its script, expected 200 and createApiReference. ` +
      'Pin the version that package-lock.json names',
  );
}

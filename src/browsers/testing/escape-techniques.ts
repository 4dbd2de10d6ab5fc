import type { EscapeSites } from './serve-escapes.ts';

/**
 * A technique with which a page could open a document of a forbidden host in a tab. Other requests of a page (documents
 * in frames, pictures, `fetch`, beacons, `<link rel=prefetch>`, websockets) are not restricted, so they are no
 * techniques.
 */
export interface EscapeTechnique {
  readonly name: string;
  /** Returns the HTML of a page on an allowed host that tries to load the forbidden document at `url`. */
  readonly page: (url: string, sites: EscapeSites) => string;
  /** Response headers of the page. @defaultValue none */
  readonly headers?: (url: string) => Readonly<Record<string, string>>;
  /**
   * Returns the URL of the forbidden document, from its path. @defaultValue a URL on a forbidden host of another site
   */
  readonly at?: (path: string, sites: EscapeSites) => string;
  /**
   * Why Chromium never requests the document, even without a restriction. @defaultValue Chromium requests the document
   */
  readonly never?: string;
}

type At = NonNullable<EscapeTechnique['at']>;

const sibling: At = (path, { sibling: origin }) => origin + path;
const child: At = (path, { child: origin }) => origin + path;
const otherPort: At = (path, { otherPort: origin }) => origin + path;
const away =
  (status: number, inner: At = (path, { cross }) => cross + path): At =>
  (path, sites) =>
    `${sites.allowed}/away/${status}?to=${encodeURIComponent(inner(path, sites))}`;
const quoted = (text: string): string => JSON.stringify(text).replaceAll('<', '\\u003c');
const script = (code: string): string => `<script>${code}</script>`;
const onLoad = (code: string): string => script(`onload = () => { ${code} }`);
const link = (url: string, more = ''): string => `<a href="${url}" ${more}>Go</a>`;
const button = (code: string): string => `<button id="go">Go</button>${script(`go.onclick = () => { ${code} }`)}`;
const rules = (kind: string, url: string): string =>
  `<script type="speculationrules">${JSON.stringify({ [kind]: [{ urls: [url], eagerness: 'immediate' }] })}</script>`;
const form = (url: string, more: string): string => `<form action="${url}" ${more}><button>Go</button></form>`;
const framed = (content: string, more = ''): string =>
  `<iframe ${more} srcdoc="${content.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;

const links: readonly EscapeTechnique[] = [
  { name: 'a link', page: (url) => link(url) },
  { name: 'a link to a new tab', page: (url) => link(url, 'target="_blank"') },
  { name: 'a link to a new tab without opener', page: (url) => link(url, 'target="_blank" rel="noopener noreferrer"') },
  { name: 'a link to a new tab with its opener', page: (url) => link(url, 'target="_blank" rel="opener"') },
  { name: 'a link to a named tab', page: (url) => link(url, 'target="elsewhere"') },
  { name: 'a link with a ping', page: (url) => link(url, 'ping="/ping"') },
  { name: 'a link below a base address', page: (url) => `<base href="${url}">${link(url.slice(url.indexOf('/x/')))}` },
  { name: 'a link that a script clicks', page: (url) => link(url, 'id="go"') + onLoad('go.click()') },
  { name: 'a link with the attribute download', page: (url) => link(url, 'download') },
  {
    name: 'an area of an image map',
    page: (url) => `<map name="m"><area id="go" href="${url}"></map>${onLoad('go.click()')}`,
  },
  {
    name: 'a link of SVG',
    page: (url) =>
      `<svg><a id="go" href="${url}"><text y="20">Go</text></a></svg>${onLoad("go.dispatchEvent(new MouseEvent('click'))")}`,
  },
];

const scripts: readonly EscapeTechnique[] = [
  { name: 'location.assign', page: (url) => onLoad(`location.assign(${quoted(url)})`) },
  { name: 'location.replace', page: (url) => onLoad(`location.replace(${quoted(url)})`) },
  { name: 'location.href', page: (url) => onLoad(`location.href = ${quoted(url)}`) },
  {
    name: 'location.host',
    page: (url) => onLoad(`location.host = new URL(${quoted(url)}).host`),
    at: (_path, { cross }) => cross,
  },
  {
    name: 'document.open of a navigated window',
    page: (url) => button(`const w = open('about:blank'); w.document.write('<p>x'); w.location = ${quoted(url)}`),
  },
  { name: 'the Navigation API', page: (url) => onLoad(`navigation.navigate(${quoted(url)})`) },
  { name: 'window.open', page: (url) => button(`open(${quoted(url)})`) },
  { name: 'window.open without opener', page: (url) => button(`open(${quoted(url)}, '_blank', 'noopener')`) },
  {
    name: 'window.open as a popup window',
    page: (url) => button(`open(${quoted(url)}, 'p', 'popup,width=200,height=200')`),
  },
  {
    name: 'an address of the scheme javascript',
    page: (url) => `<a href="javascript:location=${encodeURIComponent(quoted(url))}">Go</a>`,
  },
  {
    name: 'a popup that its opener sends on',
    page: (url) => button(`const w = open('/plain'); setTimeout(() => { w.location = ${quoted(url)} }, 300)`),
  },
  {
    name: 'a popup that sends its opener on',
    page: (url) => button(`open('/run?code=' + encodeURIComponent(${quoted(`opener.location = ${quoted(url)}`)}))`),
  },
  {
    name: 'a reload after the address was replaced',
    page: (url) =>
      onLoad(`history.replaceState(null, '', '/away/302?to=' + encodeURIComponent(${quoted(url)})); location.reload()`),
  },
  {
    name: 'going back to an address that redirects by now',
    page: (url) => button(`location = '/once?to=' + encodeURIComponent(${quoted(url)})`),
  },
  {
    name: 'a data address in a popup',
    page: (url) =>
      button(
        `open('data:text/html,<script>location=' + encodeURIComponent(${quoted(quoted(url))}) + '</' + 'script>')`,
      ),
    never: 'pages may not open data addresses in the main frame',
  },
  {
    name: 'a blob address',
    page: (url) =>
      onLoad(
        `location = URL.createObjectURL(new Blob(['<script>location=' + ${quoted(quoted(url))} + '</' + 'script>'], { type: 'text/html' }))`,
      ),
  },
  {
    name: 'an about:blank that a script writes',
    page: (url) =>
      button(`open('about:blank').document.write('<script>location=' + ${quoted(quoted(url))} + '</' + 'script>')`),
  },
  {
    name: 'an address of the scheme view-source',
    page: (url) => onLoad(`location = 'view-source:' + ${quoted(url)}; open('view-source:' + ${quoted(url)})`),
    never: 'pages may not open view-source addresses',
  },
  {
    name: 'document picture-in-picture',
    page: (url) =>
      button(
        `documentPictureInPicture.requestWindow().then((w) => { const a = w.document.createElement('a'); a.href = ${quoted(url)}; w.document.body.append(a); a.click(); })`,
      ),
    never: 'such a window cannot be navigated, and headless Chromium opens none',
  },
];

const refreshes: readonly EscapeTechnique[] = [
  { name: 'meta refresh', page: (url) => `<meta http-equiv="refresh" content="0; url=${url}">` },
  { name: 'the header Refresh', page: () => 'Refresh', headers: (url) => ({ refresh: `0; url=${url}` }) },
];

const forms: readonly EscapeTechnique[] = [
  { name: 'a form by GET', page: (url) => form(url, '') },
  { name: 'a form by POST', page: (url) => form(url, 'method="post"') },
  { name: 'a form by POST to a new tab', page: (url) => form(url, 'method="post" target="_blank"') },
  { name: 'a form that a script submits', page: (url) => form(url, 'id="go"') + onLoad('go.submit()') },
  {
    name: 'a button with an action of its own',
    page: (url) => `<form><button formaction="${url}" formmethod="post">Go</button></form>`,
  },
];

const redirects: readonly EscapeTechnique[] = [301, 302, 303, 307, 308].map((status) => ({
  name: `a redirect with status ${status}`,
  page: (url) => link(url),
  at: away(status),
}));

const moreRedirects: readonly EscapeTechnique[] = [
  { name: 'a redirect of a form by POST with status 307', page: (url) => form(url, 'method="post"'), at: away(307) },
  {
    name: 'a chain of redirects over two allowed hosts',
    page: (url) => link(url),
    at: (path, sites) => `${sites.friend}/away/302?to=${encodeURIComponent(away(307)(path, sites))}`,
  },
  { name: 'a redirect in a new tab', page: (url) => link(url, 'target="_blank"'), at: away(302) },
  {
    name: 'a redirect to a refresh',
    page: (url) => link(url),
    at: (path, sites) => `${sites.allowed}/refresh?to=${encodeURIComponent(sites.cross + path)}`,
  },
];

const frames: readonly EscapeTechnique[] = [
  {
    name: 'a frame that sends the top on',
    page: (url) =>
      button(
        `document.body.insertAdjacentHTML('beforeend', ${quoted(framed(script(`top.location = ${quoted(url)}`)))})`,
      ),
  },
  {
    name: 'a link of a frame to the top',
    page: (url) => framed(`<a id="go" target="_top" href="${url}">Go</a>${onLoad('go.click()')}`),
  },
  {
    name: 'a sandboxed frame that may send the top on',
    page: (url) => framed(onLoad(`top.location = ${quoted(url)}`), 'sandbox="allow-scripts allow-top-navigation"'),
  },
  {
    name: 'a frame of another site that sends the top on',
    page: (url, { cross }) =>
      `<iframe sandbox="allow-scripts allow-top-navigation" src="${cross}/run?code=${encodeURIComponent(`top.location = ${quoted(url)}`)}"></iframe>`,
  },
  {
    name: 'a frame of another site that opens a window',
    page: (url, { cross }) => `<iframe src="${cross}/run?code=${encodeURIComponent(`open(${quoted(url)})`)}"></iframe>`,
  },
  {
    name: 'a sandboxed frame that opens a window',
    page: (url) =>
      framed(
        onLoad(`open(${quoted(url)}, '_blank', 'noopener')`),
        'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"',
      ),
  },
  {
    name: 'a frame of another site that shows itself on top as a blob',
    page: (url, { cross }) =>
      `<iframe src="${cross}/run?code=${encodeURIComponent(`open(URL.createObjectURL(new Blob(['<script>location=' + ${quoted(quoted(url))} + '</' + 'script>'], { type: 'text/html' })))`)}"></iframe>`,
  },
  {
    name: 'a fenced frame',
    page: (url) => `<fencedframe id="f"></fencedframe>${onLoad(`f.config = new FencedFrameConfig(${quoted(url)})`)}`,
    never: 'fenced frames need an API that is off by default',
  },
  {
    name: 'a portal',
    page: (url) => `<portal id="p" src="${url}"></portal>${onLoad('p.activate?.()')}`,
    never: 'Chromium has no portals any more',
  },
];

const speculation: readonly EscapeTechnique[] = (['prerender', 'prefetch'] as const).flatMap(
  (kind) =>
    [
      {
        name: `${kind} of another site by speculation rules`,
        page: (url) => rules(kind, url),
        never: 'Chromium prerenders pages of the same site only, and prefetches others only where it has no proxy',
      },
      { name: `${kind} of a sibling host by speculation rules`, page: (url) => rules(kind, url), at: sibling },
      { name: `${kind} of a host below by speculation rules`, page: (url) => rules(kind, url), at: child },
      { name: `${kind} of another port by speculation rules`, page: (url) => rules(kind, url), at: otherPort },
      {
        name: `${kind} by speculation rules that is redirected to a sibling host`,
        page: (url) => rules(kind, url),
        at: away(302, sibling),
      },
      {
        name: `${kind} by speculation rules that is redirected to another port`,
        page: (url) => rules(kind, url),
        at: away(307, otherPort),
      },
      {
        name: `${kind} of another port by the header Speculation-Rules`,
        page: () => 'Header',
        headers: (url) => ({ 'speculation-rules': `"/rules?kind=${kind}&to=${encodeURIComponent(url)}"` }),
        at: otherPort,
      },
      {
        name: `${kind} of another port that is shown then`,
        page: (url) => `${rules(kind, url)}${link(url)}`,
        at: otherPort,
      },
      {
        name: `a page that was kept ready by ${kind} and leaves then`,
        page: (url) =>
          `${rules(kind, `/run?code=${encodeURIComponent(`setTimeout(() => { location = ${quoted(url)} }, 100)`)}`)}<a href="/run?code=${encodeURIComponent(`setTimeout(() => { location = ${quoted(url)} }, 100)`)}">Go</a>`,
      },
    ] satisfies EscapeTechnique[],
);

const hints: readonly EscapeTechnique[] = [
  {
    name: 'a link of type prerender',
    page: (url) => `<link rel="prerender" href="${url}">`,
    at: otherPort,
    never: 'headless Chromium does nothing about it',
  },
  {
    name: 'a link of type next',
    page: (url) => `<link rel="next" href="${url}">`,
    never: 'Chromium loads no next page ahead',
  },
];

const workers: readonly EscapeTechnique[] = [
  {
    name: 'a service worker that answers with a redirect',
    page: (url) =>
      button(
        `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => { location = '/by-worker?to=' + encodeURIComponent(${quoted(url)}) })`,
      ),
  },
  {
    name: 'a service worker that sends a client on',
    page: (url) =>
      onLoad(
        `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(({ active }) => active.postMessage({ navigate: '/away/302?to=' + encodeURIComponent(${quoted(url)}) }))`,
      ),
  },
  {
    name: 'a service worker that opens a window',
    page: (url) =>
      button(
        `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(({ active }) => active.postMessage({ open: ${quoted(url)} }))`,
      ),
    never: 'a worker may open windows on clicks on notifications only',
  },
];

const spelled =
  (write: (sites: EscapeSites) => string): At =>
  (path, sites) =>
    write(sites) + path;
const spellings: readonly EscapeTechnique[] = (
  [
    [
      'the allowed host as user information',
      ({ cross, allowed }) => cross.replace('//', `//${new URL(allowed).host}@`),
    ],
    ['the allowed host with a dot behind', ({ allowed, port }) => allowed.replace(`:${port}`, `.:${port}`)],
    ['a host that ends like the allowed one', ({ allowed }) => allowed.replace('//', '//not')],
    [
      'a host that begins like the allowed one',
      ({ allowed, port }) => allowed.replace(`.localhost:${port}`, `.localhost.cross.localhost:${port}`),
    ],
    ['upper case', ({ cross }) => cross.toUpperCase()],
    ['a name that looks like the allowed one', ({ allowed }) => allowed.replace('app', '\u0430pp')],
    ['full-width letters', ({ cross }) => cross.replace('cross', '\uff43ross')],
    ['an escaped letter', ({ cross }) => cross.replace('cross', '%63ross')],
    ['an address of IPv4', ({ port }) => `http://127.0.0.1:${port}`],
    ['an address of IPv4 as one number', ({ port }) => `http://2130706433:${port}`],
    ['an address of IPv4 in hexadecimal', ({ port }) => `http://0x7f.1:${port}`],
    ['an address of IPv6', ({ port }) => `http://[::ffff:127.0.0.1]:${port}`],
    ['backslashes', ({ cross }) => cross.replace('//', '\\\\')],
    ['no scheme', ({ cross }) => cross.slice(cross.indexOf('//'))],
    ['white space inside', ({ cross }) => cross.replace('http', 'ht\ntp')],
    ['three slashes', ({ cross }) => cross.replace('//', '///')],
    ['another port', ({ otherPort: origin }) => origin],
    ['a sibling host', ({ sibling: origin }) => origin],
    ['a host below', ({ child: origin }) => origin],
  ] satisfies [string, (sites: EscapeSites) => string][]
).map(([name, write]) => ({
  name: `an address with ${name}`,
  page: (url) => onLoad(`location = ${quoted(url)}`),
  at: spelled(write),
}));

/** All techniques with unique names. */
export const escapeTechniques: readonly EscapeTechnique[] = [
  ...links,
  ...scripts,
  ...refreshes,
  ...forms,
  ...redirects,
  ...moreRedirects,
  ...frames,
  ...speculation,
  ...hints,
  ...workers,
  ...spellings,
];

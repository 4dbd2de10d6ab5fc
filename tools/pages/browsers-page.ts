import { cdpPolicy } from '#generated/rules.ts';
import { page, table } from './markdown.ts';

/** How each client connects to the `cdpUrl` of a browser. */
const clients: readonly (readonly [string, string])[] = [
  ['Playwright', '`chromium.connectOverCDP(cdpUrl)`, also with http(s) in place of ws(s)'],
  ['Puppeteer, `browserWSEndpoint`', '`puppeteer.connect({ browserWSEndpoint: cdpUrl })`'],
  [
    'Puppeteer, `browserURL`',
    "`puppeteer.connect({ browserURL: cdpUrl.replace(/^ws/, 'http') })`. A release that drops the path of a `browserURL` asks the root of the host, where no token is: it needs the address of a tunnel, `browserURL: 'http://127.0.0.1:9222'` (25.16 keeps the path)",
  ],
  [
    'chrome-remote-interface',
    "a page: `svc tunnel <cdpUrl>`, then `CDP({ host: '127.0.0.1', port: 9222 })`. The browser: `CDP({ target: cdpUrl, local: true })`, with `Target.attachToTarget({ targetId, flatten: true })` and its `sessionId` for a page",
  ],
  ['Selenium', "`svc tunnel <cdpUrl>`, then `options.debuggerAddress('127.0.0.1:9222')`"],
];

/** What a client of a DevTools address may ask for. */
export function browsersPage(): string {
  const { domains, addresses, methods } = cdpPolicy;
  const rows = methods.map((row) => [
    `\`${row.method}\``,
    row.action,
    'members' in row ? row.members.map((member) => `\`${member}\``).join(', ') : '',
    'min' in row ? `${row.min} to ${row.max}` : '',
    row.why,
  ]);
  return page(
    'What a client of a browser may ask for',
    'How a client connects. `cdpUrl` is the address of the answer that created the browser; `svc tunnel <cdpUrl> --port 9222` gives it a `host:port` on this machine, without a token in its path.',
    table(['Client', 'Address'], clients),
    'From `spec/rules/cdp-policy.yaml`; applied to every message of every client, whatever session it is for. `answer`: `{}` at once, and this client is detached. `refuse`: an error that says why. `drop`: the members are left out. `folder`: the members become the downloads folder of the browser. `address`: the members have to be addresses of an open scheme. `empty`: the members have to be absent or empty. `uploads`: the last part of each path has to be the name of a file that was uploaded to this browser. `resize`: refused unless the browser was created with allowResizing. `range`: the members have to be absent or numbers of the range. A method with several rows has to pass them all.',
    `Open schemes: ${addresses.schemes.join(', ')}; besides them ${addresses.exact.join(', ')}.`,
    table(['Method', 'Action', 'Members', 'Range', 'Why'], rows),
    `Every other method is passed on when its domain is open: ${domains.open.join(', ')}.`,
    'Files for `uploads`: `POST /api/v2/files/browsers/{id}/presigned-url` takes the id of a V4 browser and answers with a form for one file; V4 has no operation of its own for that.',
    "Not there yet over a remote address: Playwright's `download.saveAs()` and `download.path()`, because the files lie with the service (GET /browsers/{id}/downloads lists them with addresses).",
  );
}

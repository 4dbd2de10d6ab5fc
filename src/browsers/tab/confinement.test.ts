import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isAllowedAddress } from '#contract/allowed-domains.ts';
import type { HostedBrowser } from '../host.ts';
import { createLocalHost, type LocalHost } from '../local-host.ts';
import { probeOnce } from '../testing/probe-once.ts';
import { createRecordingLog } from '../testing/recording-log.ts';

/** Paths of all requests to the test server that is outside the allowed domain. */
const asked: string[] = [];
const inside = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://inside');
  if (pathname === '/away') return response.writeHead(302, { location: `${origin(outside)}/redirected` }).end();
  if (pathname === '/round') return response.writeHead(302, { location: '/' }).end();
  return response.writeHead(200, { 'content-type': 'text/html' }).end(getPage(pathname));
});
const outside = createServer((request: IncomingMessage, response) => {
  asked.push(request.url ?? '');
  response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Outside</title>');
});

let directory: string;
let host: LocalHost;
let browser: HostedBrowser;

function getHost(server: typeof inside): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  return `127.0.0.1:${address.port}`;
}

function origin(server: typeof inside): string {
  return `http://${getHost(server)}`;
}

function getPage(pathname: string): string {
  const away = origin(outside);
  if (pathname === '/script')
    return `<title>Script</title><h1>Script</h1><script>onload = () => { location.href = '${away}/scripted'; }</script>`;
  return `<title>Inside</title><h1>Here</h1><a href="${away}/clicked">Leave</a><a href="/away">Redirect</a>
    <a href="${away}/popup" target="_blank">Window</a><a href="/away" target="_blank">Window by redirect</a>
    <a href="/round">Round</a><a href="/more" target="_blank">Window here</a>
    <form action="${away}/form"><label>Search <input name="q"></label></form>
    <button onclick="window.open('${away}/opened')">Open</button><img src="${away}/picture">
    <iframe src="${away}/frame"></iframe>`;
}

beforeAll(async () => {
  for (const server of [inside, outside]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  directory = await mkdtemp(join(tmpdir(), 'svc-confine-'));
  host = await createLocalHost({
    directory,
    log: createRecordingLog(),
    allow: [getHost(inside), getHost(outside)],
    probe: probeOnce,
  });
  browser = await host.launch({ sessionId: 'confined', screen: { width: 800, height: 600 }, proxyCountryCode: null });
});
afterAll(async () => {
  await host.close();
  for (const server of [inside, outside]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  await browser.confine((address) => isAllowedAddress([getHost(inside)], address));
});

const documents = (): string[] =>
  asked.filter((path) => path !== '/picture' && path !== '/frame' && path !== '/favicon.ico');
const notAllowed = /leads to 127\.0\.0\.1:\d+, which is not one of the allowed domains/;

test('what is inside works, what a page loads for itself too', async () => {
  const tab = await browser.tab();
  await tab.open(`${origin(inside)}/`);
  await tab.click('Round');
  expect([await tab.title(), await tab.headings()]).toEqual(['Inside', ['Here']]);
  await expect.poll(() => asked).toContain('/picture');
  await tab.click('Window here');
  expect(await tab.url()).toBe(`${origin(inside)}/more`);
});

test.each(['Leave', 'Redirect', 'Window', 'Window by redirect', 'Open'])(
  'a click on %s asks nothing outside',
  async (name) => {
    const tab = await browser.tab();
    await tab.open(`${origin(inside)}/`);
    await expect(tab.click(name)).rejects.toThrow(notAllowed);
    expect(documents()).toEqual([]);
    await tab.click('Round');
    expect(await tab.title()).toBe('Inside');
  },
);

test.each(['/direct', '/away'])('%s is not opened', async (path) => {
  const tab = await browser.tab();
  const address = path === '/direct' ? `${origin(outside)}${path}` : `${origin(inside)}${path}`;
  await expect(tab.open(address)).rejects.toThrow(notAllowed);
  expect(documents()).toEqual([]);
});

test('a page that leaves by itself stays where it is', async () => {
  const tab = await browser.tab();
  await tab.open(`${origin(inside)}/script`);
  expect([await tab.url(), await tab.headings()]).toEqual([`${origin(inside)}/script`, ['Script']]);
  expect(documents()).toEqual([]);
});

test('a form is not sent outside, and the page stays', async () => {
  const tab = await browser.tab();
  await tab.open(`${origin(inside)}/`);
  await tab.type('Search', 'pears');
  await expect(tab.press('Enter')).rejects.toThrow(notAllowed);
  expect(documents()).toEqual([]);
  expect(await tab.title()).toBe('Inside');
});

test('the rule can be changed and lifted, and a page that is elsewhere then is left', async () => {
  await browser.confine(null);
  const tab = await browser.tab();
  await tab.open(`${origin(outside)}/allowed`);
  expect(documents()).toEqual(['/allowed']);
  await browser.confine((address) => isAllowedAddress([getHost(inside)], address));
  expect(await tab.url()).toBe('about:blank');
  await browser.confine((address) => isAllowedAddress([getHost(outside)], address));
  await tab.open(`${origin(outside)}/again`);
  expect(documents()).toEqual(['/allowed', '/again']);
  await expect(tab.open(`${origin(inside)}/`)).rejects.toThrow(notAllowed);
});

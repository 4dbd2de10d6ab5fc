/**
 * A minimal DevTools endpoint for standalone browsers. Clients can attach and open a page. A command that the endpoint
 * does not implement has an empty result.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { FaultId } from '../faults/index.ts';
import { clients, closers } from './browsers.ts';
import { isObject } from './outputs.ts';
import { type Browser, type Json, later, now, type World } from './world.ts';

const pathPattern = /^\/devtools\/browser\/([0-9a-f-]{36})$/;

/** Serves the DevTools URLs of the browsers of `world` on the HTTP server. */
export function serveDevTools(world: World, server: Server): void {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const id = pathPattern.exec(request.url?.split('?')[0] ?? '')?.[1] ?? '';
    const browser = reach(world, id);
    if (!browser) {
      // The client may have disconnected before it gets this response.
      socket.once('error', () => socket.destroy());
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => attach(world, browser, client));
  });
}

/** Returns the browser that serves the DevTools URL with an id; undefined if the connection must be rejected. */
function reach(world: World, id: string): Browser | undefined {
  const { faults } = world;
  const all = world.projects.flatMap((project) => [...project.browsers.values()]);
  const browser = all.find((one) => one.id === id);
  if (browser?.status === 'stopped') {
    if (faults.has('ef-br-stopped-still-connects')) return browser;
    if (faults.has('ub-br-connect-revives'))
      return Object.assign(browser, { status: 'active' as const, finishedAt: null });
    const other = all.find((one) => one.status === 'active');
    return other && faults.has('ef-br-old-address-leads-on') ? other : undefined;
  }
  if (clients.has(id) && faults.has('ef-br-cdp-once')) return undefined;
  return browser;
}

/**
 * Faults in which a client that disconnects ends the browser. Each function returns the delay in ms for a close code,
 * or null for no effect.
 */
const leaving: Partial<Record<FaultId, (code: number) => number | null>> = {
  'ef-br-client-left-ends': (code) => (code === 1006 ? null : 0),
  'ef-br-client-left-ends-late': (code) => (code === 1006 ? null : 1500),
  'ef-br-abrupt-ends': (code) => (code === 1006 ? 0 : null),
};

function end(world: World, browser: Browser): void {
  if (browser.status === 'active') Object.assign(browser, { status: 'stopped', finishedAt: now(world) });
}

/** Pages by browser id. A page outlives the connections to its browser. */
const tabs = new Map<string, Tab>();

function tabFor({ faults }: World, { id }: Browser): Tab {
  const known = tabs.get(id);
  if (known && !faults.has('ub-br-pages-lost')) return known;
  const tab = { id: randomUUID(), session: randomUUID(), url: 'about:blank' };
  tabs.set(id, tab);
  return tab;
}

/** Number of clients that have disconnected, by browser id. */
const departures = new Map<string, number>();
const paged = new Set<string>();

/** Faults in which a client that disconnects ends a browser; each returns that browser, or undefined for no effect. */
const departuresByFault: Partial<Record<FaultId, (world: World, browser: Browser) => Browser | undefined>> = {
  'st-br-second-drop-ends': (_, browser) => (departures.get(browser.id) === 2 ? browser : undefined),
  'st-br-drop-null-ends': (_, browser) => (browser.country === null ? browser : undefined),
  'st-br-drop-ends-other': (world, browser) =>
    world.projects
      .flatMap((project) => [...project.browsers.values()])
      .findLast((one) => one !== browser && one.status === 'active'),
  'ub-br-drop-country-ends': (_, browser) => (['us', null].includes(browser.country) ? undefined : browser),
  'st-br-drop-with-page-ends': (_, browser) => (paged.has(browser.id) ? browser : undefined),
};

function leave(world: World, browser: Browser, code: number): void {
  departures.set(browser.id, (departures.get(browser.id) ?? 0) + 1);
  for (const [id, ended] of world.faults.entries(departuresByFault)) {
    const other = ended(world, browser);
    if (other?.status !== 'active') continue;
    world.faults.reached.add(id);
    end(world, other);
  }
  clients.set(browser.id, (clients.get(browser.id) ?? 1) - 1);
  for (const [id, delay] of world.faults.entries(leaving)) {
    const delayMs = delay(code);
    if (delayMs === null || browser.status !== 'active') continue;
    world.faults.reached.add(id);
    later(world, delayMs, () => end(world, browser));
  }
}

/** Faults in which a command ends the browser. */
const commands: Partial<Record<FaultId, (method: string) => boolean>> = {
  'ef-br-close-command-ends': (method) => method === 'Browser.close',
  'ef-br-tab-close-ends': (method) => method === 'Target.closeTarget' || method === 'Page.close',
};

function attach(world: World, browser: Browser, client: WebSocket): void {
  clients.set(browser.id, (clients.get(browser.id) ?? 0) + 1);
  client.on('close', (code) => leave(world, browser, code));
  const previous = closers.get(browser.id);
  closers.set(browser.id, () => {
    previous?.();
    client.terminate();
  });
  const tab = tabFor(world, browser);
  client.on('message', (data) => {
    const message: unknown = JSON.parse(Buffer.isBuffer(data) ? data.toString('utf8') : '{}');
    if (!isObject(message)) return;
    if (message['method'] === 'Target.createTarget') paged.add(browser.id);
    if (world.faults.some(commands, String(message['method']))) end(world, browser);
    const sessionId = typeof message['sessionId'] === 'string' ? { sessionId: message['sessionId'] } : {};
    const events = 'sessionId' in sessionId ? [] : eventsFor(String(message['method']), tab);
    for (const event of events) client.send(JSON.stringify(event));
    client.send(JSON.stringify({ id: message['id'], result: resultFor(message, tab), ...sessionId }));
  });
}

interface Tab {
  readonly id: string;
  readonly session: string;
  url: string;
}

function info(tab: Tab): Json {
  return {
    targetId: tab.id,
    type: 'page',
    title: '',
    url: tab.url,
    attached: true,
    canAccessOpener: false,
    browserContextId: 'default',
  };
}

function eventsFor(method: string, tab: Tab): Json[] {
  if (method !== 'Target.setAutoAttach') return [];
  const params = { sessionId: tab.session, targetInfo: info(tab), waitingForDebugger: false };
  return [{ method: 'Target.attachedToTarget', params }];
}

function resultFor(message: Json, tab: Tab): Json {
  const params = isObject(message['params']) ? message['params'] : {};
  switch (message['method']) {
    case 'Browser.getVersion':
      return {
        protocolVersion: '1.3',
        product: 'Chrome/150.0.0.0',
        revision: 'r1',
        userAgent: 'Stranger',
        jsVersion: '15',
      };
    case 'Target.getTargets':
      return { targetInfos: [info(tab)] };
    case 'Target.getTargetInfo':
      return { targetInfo: info(tab) };
    case 'Target.createTarget':
      return { targetId: tab.id };
    case 'Target.attachToTarget':
      return { sessionId: tab.session };
    case 'Page.navigate':
      tab.url = String(params['url']);
      return { frameId: tab.id, loaderId: randomUUID() };
    default:
      return {};
  }
}

/** A DevTools endpoint for standalone browsers: enough of it to attach, to open a page and to evaluate nothing. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { closers } from './browsers.ts';
import { isObject } from './outputs.ts';
import type { Browser, Json, World } from './world.ts';

const PATH = /^\/devtools\/browser\/([0-9a-f-]{36})$/;

/** Serves the DevTools addresses of a world on its server. */
export function serveDevTools(world: World, server: Server): void {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const id = PATH.exec(request.url?.split('?')[0] ?? '')?.[1] ?? '';
    const browser = world.projects.map((project) => project.browsers.get(id)).find((found) => found !== undefined);
    if (browser?.status !== 'active') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => attach(browser, client));
  });
}

function attach(browser: Browser, client: WebSocket): void {
  const previous = closers.get(browser.id);
  closers.set(browser.id, () => {
    previous?.();
    client.terminate();
  });
  const tab = { id: randomUUID(), session: randomUUID(), url: 'about:blank' };
  client.on('message', (data) => {
    const message: unknown = JSON.parse(Buffer.isBuffer(data) ? data.toString('utf8') : '{}');
    if (!isObject(message)) return;
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

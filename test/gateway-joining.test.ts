import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { BrowserHost, HostedBrowser } from '#browsers/host.ts';
import { type SimulatedHost, createSimulatedHost } from '#browsers/simulated/simulated-host.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

let running: StartedBackend;
afterEach(() => running.stop());

/** Creates a host of simulated browsers. Its first `crashes` browsers crash as soon as a client connects. */
function crashingHost(crashes: number): { readonly host: BrowserHost; readonly launched: () => number } {
  const simulated = createSimulatedHost();
  let launched = 0;
  return {
    launched: () => launched,
    host: {
      ...simulated,
      async launch(wanted) {
        const browser = await simulated.launch(wanted);
        launched += 1;
        return launched <= crashes ? crashing(browser, simulated) : browser;
      },
    },
  };
}

function crashing(browser: HostedBrowser, host: SimulatedHost): HostedBrowser {
  return {
    ...browser,
    attach(listener) {
      host.crash(browser.sessionId);
      return browser.attach(listener);
    },
  };
}

async function start(crashes: number): Promise<{ cdpUrl: string; launched: () => number }> {
  const { host, launched } = crashingHost(crashes);
  running = await startBackend({ host });
  const { body } = await createApiClient(running.address, undefined, 'v4').call('POST', '/browsers', {});
  return { cdpUrl: String(body['cdpUrl']), launched };
}

/**
 * Connects to a URL and returns the product name that the browser reports. If this fails, returns the status of a
 * refused handshake, `closed` with the code of the connection's end, or the connection error.
 */
function readAnswer(cdpUrl: string): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const socket = new WebSocket(cdpUrl);
  socket.on('open', () => socket.send(JSON.stringify({ id: 1, method: 'Browser.getVersion' })));
  socket.on('unexpected-response', (_, response) => resolve(response.resume().statusCode));
  socket.on('message', (data) => {
    resolve(JSON.parse(String(data)).result.product);
    socket.close();
  });
  socket.on('close', (code) => resolve(`closed ${code}`));
  socket.on('error', resolve);
  return promise;
}

it('a client that comes as its browser ends is handed the next one', async () => {
  const { cdpUrl, launched } = await start(1);
  expect(await readAnswer(cdpUrl)).toContain('Chrome');
  expect(launched()).toBe(2);
});

it('a client is told before its handshake that browsers end as fast as they start', async () => {
  const { cdpUrl, launched } = await start(2);
  expect(await readAnswer(cdpUrl)).toBe(503);
  expect(launched()).toBe(2);
  expect(await readAnswer(cdpUrl)).toContain('Chrome');
});

it('discovery is answered by the next browser too', async () => {
  const { cdpUrl } = await start(1);
  const answer = await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/version`);
  expect([answer.status, await answer.json()]).toMatchObject([200, { webSocketDebuggerUrl: cdpUrl }]);
});

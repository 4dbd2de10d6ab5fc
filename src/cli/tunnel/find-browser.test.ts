import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { createRoute } from '#conformance/index.ts';
import { answerTimeoutMs, findBrowser } from './find-browser.ts';

afterEach(() => void vi.useRealTimers());

it('gives up a service that accepts the discovery request and does not answer', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const asked = once(server, 'request');
    const found = findBrowser(`http://127.0.0.1:${port}/token`, createRoute({})).catch(String);
    await asked;
    vi.advanceTimersByTime(answerTimeoutMs);
    const failed = new Promise((resolve) => void setImmediate(resolve)).then(() => 'no answer yet');
    const ended = await Promise.race([found, failed]);
    expect(ended).toContain(`no answer of the browser at 127.0.0.1:${port} to GET /json/version`);
    expect(ended).not.toContain('token');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

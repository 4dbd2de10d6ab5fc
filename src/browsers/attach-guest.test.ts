import { PassThrough } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { attachGuest, followFronts } from './attach-guest.ts';
import type { CdpMessage } from './pipe/cdp-client.ts';
import { CdpMux } from './pipe/cdp-mux.ts';
import { createCdpPipe } from './pipe/cdp-pipe.ts';
import { createTraceStreams } from './pipe/trace-streams.ts';

test('a context that a client makes can download, though nothing else of its replies is read', async () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const sessionId = 'A'.repeat(32);
  const [adopted, read, unread]: [string[], CdpMessage[], string[]] = [[], [], []];
  const say = (message: CdpMessage): void => void fromBrowser.emit('data', Buffer.from(`${JSON.stringify(message)}\0`));
  const attaching = attachGuest(new CdpMux(createCdpPipe(toBrowser, fromBrowser)), {
    listener: {
      message: (message) => read.push(message),
      unread: (bytes) => unread.push(String(bytes)),
      closed: () => undefined,
    },
    dialogs: { join: () => () => undefined },
    downloads: { adopt: (id) => void adopted.push(id), restore: async () => undefined },
    endedFor: () => null,
    permissions: null,
    position: { join: () => ({ sent: () => undefined, received: () => undefined, left: () => undefined }) },
    traces: createTraceStreams([]),
    fronted: () => undefined,
  });
  say({ id: 1, result: { sessionId } });
  const client = await attaching;
  client.send({ id: 7, method: 'Target.createBrowserContext' });
  say({ id: 2, result: { browserContextId: 'C' }, sessionId });
  client.send({ id: 8, method: 'Browser.getVersion' });
  say({ id: 3, result: { product: 'Chrome' }, sessionId });
  expect([adopted, read]).toEqual([['C'], [{ id: 7, result: { browserContextId: 'C' } }]]);
  expect(unread).toEqual(['{"id":8,"result":{"product":"Chrome"}}']);
});

describe('the tab that a client brings to the front', () => {
  it('is known from its target or its session, as long as the session lasts', () => {
    const fronted: string[] = [];
    const watch = followFronts((id) => fronted.push(id));
    watch.sent({ method: 'Target.activateTarget', params: { targetId: 'A' } });
    watch.sent({ method: 'Page.bringToFront', sessionId: 'sB' });
    watch.received({
      method: 'Target.attachedToTarget',
      params: { sessionId: 'sB', targetInfo: { type: 'page', targetId: 'B' } },
    });
    watch.sent({ method: 'Page.bringToFront', sessionId: 'sB' });
    watch.received({ method: 'Target.detachedFromTarget', params: { sessionId: 'sB' } });
    watch.sent({ method: 'Page.bringToFront', sessionId: 'sB' });
    watch.sent({ method: 'Page.navigate', params: { targetId: 'C' } });
    expect(fronted).toEqual(['A', 'B']);
  });
});

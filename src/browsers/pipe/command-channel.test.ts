import { expect, test } from 'vitest';
import type { CdpMessage } from './cdp-client.ts';
import { CdpMux } from './cdp-mux.ts';
import { openCommandChannel } from './command-channel.ts';

test('every command is answered when the browser ends, those that come later included', async () => {
  let say: (message: CdpMessage) => void = () => undefined;
  const { promise: closed, resolve: breakPipe } = Promise.withResolvers<string>();
  const mux = new CdpMux({
    closed,
    send: ({ id, method }) => {
      if (method === 'Target.attachToBrowserTarget')
        queueMicrotask(() => say({ id: id ?? 0, result: { sessionId: 'root' } }));
      return true;
    },
    ready: () => null,
    listen: (listener) => {
      say = listener;
    },
  });
  const channel = await openCommandChannel(mux, () => undefined);
  const before = channel.ask({ method: 'Target.getTargets' });
  breakPipe('The browser has gone.');
  const gone = { error: { message: 'The browser has gone.' } };
  expect(await before).toEqual(gone);
  expect(await channel.ask({ method: 'Target.getTargets' })).toEqual(gone);
});

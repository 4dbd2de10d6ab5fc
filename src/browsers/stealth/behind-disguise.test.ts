import { expect, test } from 'vitest';
import type { CdpListener, CdpMessage } from '../pipe/cdp-client.ts';
import { behindDisguise } from './behind-disguise.ts';

/** Attaches a client through `behindDisguise`. The identity counts as applied to page P when the test calls `tell`. */
async function join(): Promise<{
  readonly client: Awaited<ReturnType<typeof behindDisguise>>;
  readonly sent: CdpMessage[];
  readonly heard: CdpMessage[];
  readonly say: (message: CdpMessage) => void;
  readonly tell: () => Promise<void>;
}> {
  const [sent, heard]: [CdpMessage[], CdpMessage[]] = [[], []];
  const { promise: told, resolve } = Promise.withResolvers<void>();
  let isTold = false;
  let inner: CdpListener | undefined;
  const disguise = { pending: (targetId: string) => (targetId === 'P' && !isTold ? told : null) };
  const listener = { message: (message: CdpMessage) => void heard.push(message), closed: () => undefined };
  const client = await behindDisguise(disguise, listener, async (given) => {
    inner = given;
    return {
      send: (message) => void sent.push(message),
      ready: () => null,
      unanswered: () => sent.length,
      close: async () => undefined,
    };
  });
  const tell = async (): Promise<void> => {
    isTold = true;
    resolve();
    await told;
  };
  return { client, sent, heard, say: (message) => inner?.message(message), tell };
}

const attachedTo = (targetId: string): CdpMessage => ({
  method: 'Target.attachedToTarget',
  params: { sessionId: `of-${targetId}`, targetInfo: { targetId } },
});

test('commands to a page wait until it has been told, in their order; all others go on', async () => {
  const { client, sent, heard, say, tell } = await join();
  say(attachedTo('P'));
  say(attachedTo('Q'));
  expect(heard).toHaveLength(2);
  client.send({ id: 1, method: 'Page.navigate', sessionId: 'of-P' });
  client.send({ id: 2, method: 'Browser.getVersion' });
  client.send({ id: 3, method: 'Page.enable', sessionId: 'of-Q' });
  client.send({ id: 4, method: 'Page.enable', sessionId: 'of-P' });
  expect(sent.map(({ id }) => id)).toEqual([2, 3]);
  expect(client.unanswered()).toBe(4);
  await tell();
  expect(sent.map(({ id }) => id)).toEqual([2, 3, 1, 4]);
  client.send({ id: 5, method: 'Page.reload', sessionId: 'of-P' });
  expect(sent.at(-1)?.id).toBe(5);
});

test('what a client that has left wanted of a page is not sent any more', async () => {
  const { client, sent, say, tell } = await join();
  say(attachedTo('P'));
  client.send({ id: 1, method: 'Page.navigate', sessionId: 'of-P' });
  await client.close();
  await tell();
  expect(sent).toEqual([]);
});

import { beforeEach, describe, expect, test } from 'vitest';
import type { CdpClient, CdpMessage } from './cdp-client.ts';
import { CdpMux } from './cdp-mux.ts';
import { type RawMessage, getRawMessage } from './raw-message.ts';

/** Commands that the multiplexer has sent to the simulated browser. `say` and `offer` emit messages of this browser. */
let sent: CdpMessage[];
let say: (message: CdpMessage) => void;
let offer: (message: RawMessage) => boolean;
let breakPipe: (reason: string) => void;
let mux: CdpMux;

beforeEach(() => {
  sent = [];
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  breakPipe = resolve;
  mux = new CdpMux({
    closed,
    send: (message) => {
      sent.push(message);
      return message.method !== 'Too.large';
    },
    ready: () => null,
    listen: (listener, takeRaw = () => false) => {
      say = listener;
      offer = takeRaw;
    },
  });
});

function lastId(): number {
  return sent.at(-1)?.id ?? -1;
}

interface Recorded {
  readonly client: CdpClient;
  readonly got: CdpMessage[];
  readonly closings: string[];
}

async function attach(sessionId: string, guards: readonly string[] = []): Promise<Recorded> {
  const got: CdpMessage[] = [];
  const closings: string[] = [];
  const attaching = mux.attach({
    guards,
    message: (message) => got.push(message),
    closed: (reason) => closings.push(reason),
  });
  say({ id: lastId(), result: { sessionId } });
  return { client: await attaching, got, closings };
}

describe('commands of the multiplexer itself', () => {
  test('resolve to the result', async () => {
    const reply = mux.command('Browser.getVersion');
    expect(sent).toEqual([{ id: 1, method: 'Browser.getVersion', params: {} }]);
    say({ id: 1, result: { product: 'Chrome' } });
    expect(await reply).toEqual({ product: 'Chrome' });
  });

  test("reject with the browser's error", async () => {
    const reply = mux.command('Nope.nope');
    say({ id: 1, error: { code: -32_601, message: 'not found' } });
    await expect(reply).rejects.toThrow('Nope.nope: {"code":-32601,"message":"not found"}');
  });
});

describe('a message whose ends say whom it is for', () => {
  const root = 'A'.repeat(32);
  const page = 'B'.repeat(32);
  const getRaw = (message: CdpMessage): RawMessage => {
    const raw = getRawMessage(Buffer.from(JSON.stringify(message)), false);
    if (raw === null) throw new Error('found a message that has to be read');
    return raw;
  };
  const reply = (sessionId = root): RawMessage => getRaw({ id: lastId(), result: { value: 'x' }, sessionId });
  const event = (sessionId: string): RawMessage => getRaw({ method: 'Page.loadEventFired', params: {}, sessionId });

  async function attachUnread(): Promise<{ client: CdpClient; texts: string[]; read: CdpMessage[] }> {
    const [texts, read]: [string[], CdpMessage[]] = [[], []];
    const attaching = mux.attach({
      message: (message) => read.push(message),
      unread: (bytes) => texts.push(String(bytes)),
      closed: () => undefined,
    });
    say({ id: lastId(), result: { sessionId: root } });
    return { client: await attaching, texts, read };
  }

  test('is handed on unread to a client that wants it so, once', async () => {
    const { client, texts, read } = await attachUnread();
    client.send({ id: 5, method: 'Runtime.evaluate' });
    const answer = reply();
    expect([offer(answer), texts, client.unanswered()]).toEqual([true, ['{"id":5,"result":{"value":"x"}}'], 0]);
    expect(offer(answer)).toBe(false);
    say({ sessionId: root, method: 'Target.attachedToTarget', params: { sessionId: page } });
    client.send({ id: 6, method: 'Runtime.evaluate', sessionId: page });
    expect([offer(reply(page)), offer(event(page)), offer(event(root))]).toEqual([true, true, true]);
    expect(texts.slice(1)).toEqual([
      `{"id":6,"result":{"value":"x"},"sessionId":"${page}"}`,
      `{"method":"Page.loadEventFired","params":{},"sessionId":"${page}"}`,
      '{"method":"Page.loadEventFired","params":{}}',
    ]);
    expect(read).toHaveLength(1);
  });

  test('belongs to no client when its client has left or never had the session', async () => {
    const { client, texts } = await attachUnread();
    client.send({ id: 5, method: 'Runtime.evaluate' });
    const answer = reply();
    expect(offer(event(page))).toBe(false);
    await Promise.all([client.close(), Promise.resolve().then(() => say({ id: lastId(), result: {} }))]);
    expect([offer(answer), offer(event(root)), texts]).toEqual([false, false, []]);
  });

  test('is read where the reply is wanted as a message, or comes from another session than was asked', async () => {
    const { client } = await attachUnread();
    client.send({ id: 5, method: 'Target.createBrowserContext' }, 'read');
    expect([offer(reply()), client.unanswered()]).toEqual([false, 1]);
    client.send({ id: 6, method: 'Runtime.evaluate' });
    expect([offer(reply(page)), client.unanswered()]).toEqual([false, 2]);
  });

  test('is a message to everybody else', async () => {
    const { client } = await attach(root);
    client.send({ id: 5, method: 'Runtime.evaluate' });
    expect([offer(reply()), offer(event(root)), client.unanswered()]).toEqual([false, false, 1]);
    void mux.command('Target.getTargets');
    expect(offer(reply())).toBe(false);
  });
});

describe('clients', () => {
  test('keep their own ids, and see their root session as the browser', async () => {
    const one = await attach('ROOT1');
    const two = await attach('ROOT2');
    one.client.send({ id: 1, method: 'Browser.getVersion' });
    two.client.send({ id: 1, method: 'Target.getTargets' });
    const [fromOne, fromTwo] = sent.slice(-2);
    expect(fromOne).toMatchObject({ sessionId: 'ROOT1', method: 'Browser.getVersion' });
    expect(fromTwo).toMatchObject({ sessionId: 'ROOT2', method: 'Target.getTargets' });
    expect(fromOne?.id).not.toBe(fromTwo?.id);
    say({ id: fromTwo?.id ?? -1, sessionId: 'ROOT2', result: { n: 2 } });
    say({ id: fromOne?.id ?? -1, sessionId: 'ROOT1', result: { n: 1 } });
    expect(one.got).toEqual([{ id: 1, result: { n: 1 } }]);
    expect(two.got).toEqual([{ id: 1, result: { n: 2 } }]);
  });

  test('own the sessions that they attached, down to the children of children', async () => {
    const one = await attach('ROOT1');
    const two = await attach('ROOT2');
    say({ sessionId: 'ROOT1', method: 'Target.attachedToTarget', params: { sessionId: 'PAGE' } });
    say({ sessionId: 'PAGE', method: 'Target.attachedToTarget', params: { sessionId: 'WORKER' } });
    say({ sessionId: 'WORKER', method: 'Runtime.consoleAPICalled', params: {} });
    expect(one.got.map(({ sessionId }) => sessionId)).toEqual([undefined, 'PAGE', 'WORKER']);
    expect(two.got).toEqual([]);
    one.client.send({ id: 7, sessionId: 'WORKER', method: 'Runtime.enable' });
    expect(sent.at(-1)).toMatchObject({ sessionId: 'WORKER', method: 'Runtime.enable' });
    say({ id: lastId(), sessionId: 'WORKER', result: {} });
    expect(one.got.at(-1)).toEqual({ id: 7, sessionId: 'WORKER', result: {} });
  });

  test("cannot command another client's session", async () => {
    const one = await attach('ROOT1');
    const two = await attach('ROOT2');
    say({ sessionId: 'ROOT1', method: 'Target.attachedToTarget', params: { sessionId: 'PAGE' } });
    const before = sent.length;
    two.client.send({ id: 3, sessionId: 'PAGE', method: 'Page.navigate' });
    await Promise.resolve();
    expect(sent).toHaveLength(before);
    expect(two.got).toEqual([
      { id: 3, sessionId: 'PAGE', error: { code: -32_001, message: 'Session with given id not found.' } },
    ]);
    expect(one.got).toHaveLength(1);
  });

  test('lose a session when the browser detaches it', async () => {
    const one = await attach('ROOT1');
    say({ sessionId: 'ROOT1', method: 'Target.attachedToTarget', params: { sessionId: 'PAGE' } });
    say({ sessionId: 'ROOT1', method: 'Target.detachedFromTarget', params: { sessionId: 'PAGE' } });
    const before = sent.length;
    one.client.send({ id: 3, sessionId: 'PAGE', method: 'Page.navigate' });
    expect(sent).toHaveLength(before);
  });

  test('are detached by close, hear nothing afterwards, and leave the others alone', async () => {
    const one = await attach('ROOT1');
    const two = await attach('ROOT2');
    one.client.send({ id: 1, method: 'Browser.getVersion' });
    const pending = lastId();
    const closing = one.client.close();
    expect(sent.at(-1)).toMatchObject({ method: 'Target.detachFromTarget', params: { sessionId: 'ROOT1' } });
    say({ id: pending, sessionId: 'ROOT1', result: {} });
    say({ id: lastId(), result: {} });
    await closing;
    await one.client.close();
    one.client.send({ id: 2, method: 'Browser.getVersion' });
    expect(sent.at(-1)?.method).toBe('Target.detachFromTarget');
    expect([one.got, one.closings]).toEqual([[], []]);
    say({ sessionId: 'ROOT2', method: 'Target.targetCreated', params: {} });
    expect(two.got).toHaveLength(1);
  });

  test('get an error for a command that is too large for the browser, without effect on other clients', async () => {
    const one = await attach('ROOT1');
    one.client.send({ id: 4, method: 'Too.large' });
    expect(one.got).toEqual([]);
    await Promise.resolve();
    expect(one.got).toEqual([
      { id: 4, error: { code: -32_600, message: 'The command is too large for the browser.' } },
    ]);
    expect([one.client.unanswered(), one.closings]).toEqual([0, []]);
  });

  test('know how many of their commands are without an answer', async () => {
    const one = await attach('ROOT1');
    const two = await attach('ROOT2');
    one.client.send({ id: 1, method: 'Browser.getVersion' });
    const first = lastId();
    one.client.send({ id: 2, method: 'Browser.getVersion' });
    expect([one.client.unanswered(), two.client.unanswered()]).toEqual([2, 0]);
    say({ id: first, sessionId: 'ROOT1', result: {} });
    expect(one.client.unanswered()).toBe(1);
  });

  test('get an error for the commands of a session that ends, which the browser never answers', async () => {
    const one = await attach('ROOT1');
    say({ sessionId: 'ROOT1', method: 'Target.attachedToTarget', params: { sessionId: 'PAGE' } });
    one.client.send({ id: 3, sessionId: 'PAGE', method: 'Runtime.evaluate' });
    one.client.send({ id: 4, method: 'Browser.getVersion' });
    say({ sessionId: 'ROOT1', method: 'Target.detachedFromTarget', params: { sessionId: 'PAGE' } });
    expect(one.client.unanswered()).toBe(1);
    await Promise.resolve();
    expect(one.got.slice(1)).toEqual([
      { method: 'Target.detachedFromTarget', params: { sessionId: 'PAGE' } },
      { id: 3, sessionId: 'PAGE', error: { code: -32_001, message: 'Session with given id not found.' } },
    ]);
  });

  test('are told when the browser detaches them', async () => {
    const one = await attach('ROOT1');
    say({ method: 'Target.detachedFromTarget', params: { sessionId: 'ROOT1' } });
    expect(one.closings).toEqual(['The browser detached this client.']);
  });
});

describe('a new page with guardians', () => {
  const goOn = 'Runtime.runIfWaitingForDebugger';
  const announce = (root: string, sessionId: string, type = 'page'): void => {
    const targetInfo = { targetId: `target of ${type}`, type };
    say({
      sessionId: root,
      method: 'Target.attachedToTarget',
      params: { sessionId, targetInfo, waitingForDebugger: true },
    });
  };
  const released = (): (string | undefined)[] =>
    sent.flatMap(({ method, sessionId }) => (method === goOn ? [sessionId] : []));
  const letGo = ({ client }: Recorded, sessionId: string): void => client.send({ id: 1, sessionId, method: goOn });

  test('is resumed by the last guardian, whatever the order of requests and announcements', async () => {
    const hasty = await attach('HASTY');
    const first = await attach('FIRST', ['page']);
    const second = await attach('SECOND', ['page', 'service_worker']);
    announce('HASTY', 'H');
    letGo(hasty, 'H');
    announce('FIRST', 'F');
    letGo(first, 'F');
    letGo(first, 'F');
    expect([released(), hasty.client.unanswered()]).toEqual([[], 1]);
    announce('SECOND', 'S');
    letGo(second, 'S');
    expect([released(), hasty.client.unanswered()]).toEqual([['H', 'F', 'F', 'S'], 1]);
    letGo(hasty, 'H');
    expect(released()).toHaveLength(5);
  });

  test('waits for those of its own type only', async () => {
    const hasty = await attach('HASTY');
    await attach('GUARD', ['page']);
    announce('HASTY', 'W', 'service_worker');
    letGo(hasty, 'W');
    expect(released()).toEqual(['W']);
  });

  test('waits no more for one that has left', async () => {
    const hasty = await attach('HASTY');
    const guardian = await attach('GUARD', ['page']);
    announce('HASTY', 'H');
    letGo(hasty, 'H');
    const closing = guardian.client.close();
    expect(released()).toEqual(['H']);
    say({ id: sent.find(({ method }) => method === 'Target.detachFromTarget')?.id ?? -1, result: {} });
    await closing;
  });

  test('answers pending commands of a closed session and forgets it', async () => {
    const hasty = await attach('HASTY');
    await attach('GUARD', ['page']);
    announce('HASTY', 'H');
    letGo(hasty, 'H');
    say({ sessionId: 'HASTY', method: 'Target.detachedFromTarget', params: { sessionId: 'H' } });
    await Promise.resolve();
    expect(hasty.got.at(-1)).toMatchObject({ id: 1, sessionId: 'H', error: { code: -32_001 } });
    expect([released(), hasty.client.unanswered()]).toEqual([[], 0]);
  });
});

test('when the pipe closes, clients are told once and commands reject, now and later', async () => {
  const one = await attach('ROOT1');
  const reply = mux.command('Browser.getVersion');
  breakPipe('gone');
  await expect(reply).rejects.toThrow('gone');
  expect(one.closings).toEqual(['gone']);
  await expect(mux.command('Browser.getVersion')).rejects.toThrow('gone');
  await expect(mux.attach({ message: () => undefined, closed: () => undefined })).rejects.toThrow('gone');
});

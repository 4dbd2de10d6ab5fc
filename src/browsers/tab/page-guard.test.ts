import { beforeEach, expect, it } from 'vitest';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import { CdpMux } from '../pipe/cdp-mux.ts';
import { attachPageGuard } from './confinement.ts';

/** Commands that the service has sent to the simulated browser. `say` emits a message of this browser. */
let sent: CdpMessage[];
let say: (message: CdpMessage) => void;
let mux: CdpMux;

beforeEach(() => {
  sent = [];
  mux = new CdpMux({
    closed: new Promise(() => undefined),
    send: (message) => sent.push(message) > 0,
    ready: () => null,
    listen: (listener) => void (say = listener),
  });
});

/** Answers the latest command with the name `method`. */
async function answer(method: string, outcome: Pick<CdpMessage, 'result' | 'error'> = { result: {} }): Promise<void> {
  await expect.poll(() => sent.map((message) => message.method)).toContain(method);
  const { id = -1, sessionId } = sent.findLast((message) => message.method === method) ?? {};
  say({ id, ...(sessionId === undefined ? {} : { sessionId }), ...outcome });
}

async function joined<Client>(root: string, joining: Promise<Client>): Promise<Client> {
  await answer('Target.attachToBrowserTarget', { result: { sessionId: root } });
  return joining;
}

function open(root: string, sessionId: string): void {
  const targetInfo = { targetId: 'popup', type: 'page', openerId: 'page' };
  say({ sessionId: root, method: 'Target.attachedToTarget', params: { sessionId, targetInfo } });
}

const goOn = 'Runtime.runIfWaitingForDebugger';
const released = (): (string | undefined)[] =>
  sent.flatMap(({ method, sessionId }) => (method === goOn ? [sessionId] : []));

/**
 * Attaches a page guard and another client. The other client tries to resume a new page before the guard has checked
 * this page.
 */
async function guardAndHasty(): Promise<void> {
  const hasty = await joined('HASTY', mux.attach({ message: () => undefined, closed: () => undefined }));
  const attaching = attachPageGuard(mux, { mayShow: () => false, onRefused: () => undefined });
  await answer('Target.attachToBrowserTarget', { result: { sessionId: 'GUARD' } });
  await answer('Target.setAutoAttach');
  await attaching;
  open('HASTY', 'H');
  hasty.send({ id: 1, sessionId: 'H', method: goOn });
  open('GUARD', 'G');
}

it('a new page waits until it is judged, however soon another client lets it go on', async () => {
  await guardAndHasty();
  expect([released(), sent.at(-1)]).toEqual([[], expect.objectContaining({ method: 'Fetch.enable', sessionId: 'G' })]);
  await answer('Fetch.enable');
  await expect.poll(released).toEqual(['H', 'G']);
});

it('a page that cannot be judged is closed, and never goes on', async () => {
  await guardAndHasty();
  await answer('Fetch.enable', { error: { message: 'no such session' } });
  await expect.poll(() => sent.at(-1)).toMatchObject({ method: 'Target.closeTarget', params: { targetId: 'popup' } });
  expect(released()).toEqual([]);
});

it.each([
  { name: 'the main frame', frameId: 'popup', reported: ['http://outside/'] },
  { name: 'the main frame of a page that was prerendered', frameId: 'root', reported: ['http://outside/'] },
  { name: 'a frame that the page has left behind', frameId: 'gone', reported: [] },
])('blocks a navigation of $name', async ({ frameId, reported }) => {
  const refused: string[] = [];
  const attaching = attachPageGuard(mux, { mayShow: () => false, onRefused: (address) => void refused.push(address) });
  await answer('Target.attachToBrowserTarget', { result: { sessionId: 'GUARD' } });
  await answer('Target.setAutoAttach');
  await attaching;
  open('GUARD', 'G');
  await answer('Fetch.enable');
  say({
    sessionId: 'G',
    method: 'Fetch.requestPaused',
    params: { requestId: 'r', frameId, request: { url: 'http://outside/' } },
  });
  if (frameId !== 'popup')
    await answer('Page.getFrameTree', { result: { frameTree: { frame: { id: 'root' }, childFrames: [] } } });
  await expect.poll(() => sent.map(({ method }) => method)).toContain('Fetch.fulfillRequest');
  expect(refused).toEqual(reported);
});

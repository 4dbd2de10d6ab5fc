import { expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import { parseTarget } from '../core/parse-target.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from '../core/ledger.ts';
import { OwnRequestError } from '../core/outcome.ts';
import { createResources } from './resources.ts';

const target = parseTarget({ url: 'http://127.0.0.1:1', text: '' });
const creation = { generation: 'v3', operation: 'createSession', method: 'POST', path: '/sessions', body: {} } as const;

function resourcesFor(ledger: Ledger, sent: string[]): ReturnType<typeof createResources> {
  return createResources({
    target,
    ledger,
    send: ({ operation }) => {
      sent.push(operation);
      return Promise.reject(new Error('no server at this address'));
    },
    otherApiKey: undefined,
    budget: { reserve: () => Promise.resolve() },
    pause: () => Promise.resolve(),
    nowMs: () => 0,
  });
}

it('sends what creates something once its booking is kept', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent: string[] = [];
  const creating = resourcesFor(
    createLedger(() => promise),
    sent,
  ).create('session', creation);
  await new Promise(setImmediate);
  expect(sent).toEqual([]);
  resolve();
  await expect(creating).rejects.toThrow('no server at this address');
  expect(sent).toEqual(['createSession']);
});

it.each([
  { how: 'rejects', listener: () => Promise.reject(new Error('the disk is full')) },
  {
    how: 'throws',
    listener: () => {
      throw new Error('the disk is full');
    },
  },
])('sends nothing when its booking could not be kept: the listener $how', async ({ listener }) => {
  const sent: string[] = [];
  const ledger = createLedger(listener);
  await expect(resourcesFor(ledger, sent).create('session', creation)).rejects.toThrow('the disk is full');
  expect(sent).toEqual([]);
  expect(ledger.entries().map(({ state }) => state)).toEqual(['refused']);
});

it('expects no resource from a request that the suite has not sent because it is invalid', async () => {
  const ledger = createLedger();
  const resources = createResources({
    target,
    ledger,
    send: () => Promise.reject(new OwnRequestError('createSession: the body must be object')),
    otherApiKey: undefined,
    budget: { reserve: () => Promise.resolve() },
    pause: () => Promise.resolve(),
    nowMs: () => 0,
  });
  await expect(resources.create('session', creation)).rejects.toThrow('the body must be object');
  expect(ledger.entries().map(({ state }) => state)).toEqual(['refused']);
});

/** Returns an answer with a status and no body. */
function answer(status: number): Exchange {
  const request = { method: 'GET', url: 'http://127.0.0.1:1/', headers: {} };
  const known = {
    generation: 'v3',
    operation: 'getSession',
    sentBy: 'test',
    atMs: 0,
    durationMs: 1,
    headers: {},
  } as const;
  return { ...known, index: 0, request, status, body: '', json: undefined };
}

it.each([
  { unknown: 403, outcome: 'ended' },
  { unknown: 404, outcome: 'left' },
])(
  'a session that is refused with 403 is $outcome where an unknown id is answered $unknown',
  async ({ unknown, outcome }) => {
    const ledger = createLedger();
    const resources = createResources({
      target,
      ledger,
      send: ({ path }) => Promise.resolve(answer(path.includes('ffffffff') ? unknown : 403)),
      otherApiKey: undefined,
      budget: { reserve: () => Promise.resolve() },
      pause: () => Promise.resolve(),
      nowMs: () => 0,
    });
    const entry = ledger.request({ kind: 'session', generation: 'v3', createdBy: 'createSession', by: 'test' });
    ledger.update(entry, { id: '0b4d3f8e-0000-4000-8000-000000000000', state: 'live' });
    expect(await resources.tryEnd(entry)).toBe(outcome);
  },
);

it('polls a resource once after two others have not ended although their stops were accepted', async () => {
  const ledger = createLedger();
  let clockMs = 0;
  const resources = createResources({
    target,
    ledger,
    send: () => Promise.resolve({ ...answer(200), json: { status: 'idle' } }),
    otherApiKey: undefined,
    budget: { reserve: () => Promise.resolve() },
    pause: (ms) => {
      clockMs += ms;
      return Promise.resolve();
    },
    nowMs: () => clockMs,
  });
  const waits: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const entry = ledger.request({ kind: 'session', generation: 'v3', createdBy: 'createSession', by: 'test' });
    ledger.update(entry, { id: `0b4d3f8e-0000-4000-8000-00000000000${count}`, state: 'live' });
    const beganMs = clockMs;
    expect(await resources.tryEnd(entry)).toBe('left');
    waits.push(clockMs - beganMs);
  }
  const { settleDeadlineMs } = target.polling;
  expect(waits).toEqual([settleDeadlineMs, settleDeadlineMs, 0]);
});

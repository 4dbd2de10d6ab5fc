import { expect, it } from 'vitest';
import { parseTarget } from '../core/parse-target.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from '../core/ledger.ts';
import { createResources } from './resources.ts';

const target = parseTarget({ url: 'http://127.0.0.1:1', text: '' });
const creation = { generation: 'v3', operation: 'createSession', method: 'POST', path: '/sessions', body: {} } as const;

function resourcesFor(ledger: Ledger, sent: string[]): ReturnType<typeof createResources> {
  return createResources({
    target,
    ledger,
    send: ({ operation }) => {
      sent.push(operation);
      return Promise.reject(new Error('nobody answers here'));
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
  await expect(creating).rejects.toThrow('nobody answers here');
  expect(sent).toEqual(['createSession']);
});

it('sends nothing when its booking could not be kept', async () => {
  const sent: string[] = [];
  const ledger = createLedger(() => Promise.reject(new Error('the disk is full')));
  await expect(resourcesFor(ledger, sent).create('session', creation)).rejects.toThrow('the disk is full');
  expect(sent).toEqual([]);
});

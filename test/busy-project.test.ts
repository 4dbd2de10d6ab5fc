import { readFileSync } from 'node:fs';
import { setInterval } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseTarget, run } from '#conformance/index.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

/**
 * This file tests a correct service in a project that contains many foreign resources, and in which other clients work
 * at the same time.
 */

/** Number of resources of each kind, greater than the number on one page of any list. */
const records = 101;

/**
 * Interval in milliseconds between two rounds of requests of the other clients. The pauses leave processor time to the
 * suite.
 */
const roundsMs = 200;

let started: StartedBackend;
let clients: Readonly<Record<'v2' | 'v3' | 'v4', ApiClient>>;

beforeEach(async () => {
  started = await startBackend();
  const open = (version: 'v2' | 'v3' | 'v4'): ApiClient => createApiClient(started.address, testKey, version);
  clients = { v2: open('v2'), v3: open('v3'), v4: open('v4') };
});

afterEach(() => started.stop());

/** Creates a resource of each kind, and stops the resources that do not end by themselves. */
async function work(name: string): Promise<void> {
  const { v2, v3, v4 } = clients;
  const task = `svc-test: succeed ${name}`;
  const [session, browser] = await Promise.all([
    v3.call('POST', '/sessions', { task, keepAlive: true }),
    v4.call('POST', '/browsers', {}),
    v3.call('POST', '/sessions', { task }),
    v2.call('POST', '/tasks', { task }),
    v4.call('POST', '/runs', { task, model: 'gpt-5.6-luna' }),
    v3.call('POST', '/profiles', { name }),
    v3.call('POST', '/workspaces', { name }),
  ]);
  await v3.call('POST', `/sessions/${String(session.body['id'])}/stop`);
  await v4.call('PATCH', `/browsers/${String(browser.body['id'])}`, { action: 'stop' });
}

it('a busy project is judged by every requirement without a false alarm', async () => {
  for (let count = 0; count < records; count += 1) await work(`before ${count}`);
  const over = new AbortController();
  let rounds = 0;
  const others = (async () => {
    for await (const _ of setInterval(roundsMs)) {
      if (over.signal.aborted) return;
      await work(`meanwhile ${rounds}`);
      rounds += 1;
    }
  })();
  const target = readFileSync('examples/targets/reference.yaml', 'utf8');
  const report = await run({
    target: parseTarget({
      url: started.address,
      text: `${target}control: ${started.control}\nv4: { browsers: null }\n`,
    }),
    apiKey: testKey,
    otherApiKey: otherKey,
    profile: 'full',
    spend: 'task',
    seed: 1,
    ratePerSecond: 0,
  });
  over.abort();
  await others;
  const alarms = report.requirements.filter(({ verdict }) => ['violation', 'error'].includes(verdict));
  expect(alarms.map(({ id, failures }) => `${id}: ${failures[0]?.message ?? ''}`)).toEqual([]);
  expect([report.ended, report.left]).toEqual(['complete', []]);
  expect(rounds).toBeGreaterThan(5);
});

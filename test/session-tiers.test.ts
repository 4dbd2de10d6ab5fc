import { assert, integer, property } from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bySpend, getTierSessions } from '#accounts/balance.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createFrozenClock } from './support/frozen-clock.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

/**
 * Limits of sessions by spending (companion 10 M17). Each row has the US dollars that a project must have spent, and
 * the number of sessions that it may then have.
 */
const companion = [
  [0, 10],
  [200, 50],
  [1_000, 250],
  [5_000, 500],
  [25_000, 1_000],
] as const;
const microsPerUsd = 1_000_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const findTier = (spentMicros: number): number => getTierSessions(defaultRules.pricing, spentMicros);

describe('the tier of a project', () => {
  it.each(companion)('from %d dollars on is %d sessions', (usd, sessions) => {
    expect(findTier(usd * microsPerUsd)).toBe(sessions);
    if (usd > 0) expect(findTier(usd * microsPerUsd - 1)).toBeLessThan(sessions);
  });

  it('is that of the highest amount which was reached, and never becomes less', () => {
    const spent = integer({ min: 0, max: 60_000 * microsPerUsd });
    assert(
      property(spent, spent, (one, other) => {
        const want = companion.findLast(([usd]) => usd * microsPerUsd <= one)?.[1];
        expect(findTier(one)).toBe(want);
        expect(findTier(one + other)).toBeGreaterThanOrEqual(findTier(one));
      }),
    );
  });
});

/** Price of an hour of one browser, in micro-dollars. */
const hourMicros = defaultRules.pricing.browser.microUsdPerHour;
const source = 'companion 10 M17';
const rules: RuleBook = {
  ...defaultRules,
  pricing: {
    ...defaultRules.pricing,
    sessionTiers: [
      { fromMicroUsd: 0, sessions: 1, source },
      { fromMicroUsd: hourMicros, sessions: 2, source },
      { fromMicroUsd: 100 * hourMicros, sessions: 3, source },
    ],
  },
};

let started: StartedBackend;

async function start(activeSessionsMax: number | 'by-spend'): Promise<ApiClient> {
  // With this clock no session becomes inactive, however far the test advances it.
  const clock = createFrozenClock(Date.UTC(2026, 10, 22, 9));
  started = await startBackend({ rules, clock, activeSessionsMax, inactivityMs: 1_000 * hourMs });
  onTestFinished(() => started.stop());
  return createApiClient(started.address, testKey, 'v4');
}

const browser = async (v4: ApiClient): Promise<number> => (await v4.call('POST', '/browsers', {})).status;

const ownLimit = (limit: number | null): Promise<unknown> =>
  started.backend.db.updateTable('projects').set({ sessionsMax: limit }).execute();

async function limitShown(): Promise<unknown> {
  return (await createApiClient(started.address, testKey, 'v2').call('GET', '/billing/account')).body;
}

describe('a service that bounds by spend', () => {
  it('gives a project more as soon as it has spent what the next tier begins with, and writes nothing for what it refuses', async () => {
    const v4 = await start('by-spend');
    expect([await browser(v4), await browser(v4)]).toEqual([201, 429]);
    expect((await v4.call('POST', '/runs', { task: 'Say x' })).status).toBe(429);
    expect((await v4.call('GET', '/browsers')).body['totalItems']).toBe(1);
    expect((await v4.call('GET', '/runs')).body['runs']).toEqual([]);
    expect(await limitShown()).toMatchObject({ rateLimit: 1 });
    started.clock.advance(hourMs - 2 * minuteMs);
    expect(await browser(v4)).toBe(429);
    started.clock.advance(2 * minuteMs);
    expect([await browser(v4), await browser(v4)]).toEqual([201, 429]);
    expect(await limitShown()).toMatchObject({ rateLimit: 2 });
  });

  it('looks at what was spent every ten seconds at most, not at all at the top, and takes no tier back', async () => {
    const clock = createFrozenClock(0);
    let [spent, looks] = [0, 0];
    const max = bySpend({ clock, rules, spentBy: async () => ((looks += 1), spent) });
    const after = async (ms: number): Promise<number[]> => {
      clock.advance(ms);
      return [await max.of('p'), max.known('p'), looks];
    };
    expect(max.known('p')).toBe(1);
    expect(await after(0)).toEqual([1, 1, 1]);
    spent = hourMicros;
    expect(await after(9_999)).toEqual([1, 1, 1]);
    expect(await after(1)).toEqual([2, 2, 2]);
    spent = 0;
    expect(await after(10_000)).toEqual([2, 2, 3]);
    spent = 100 * hourMicros;
    expect(await after(10_000)).toEqual([3, 3, 4]);
    expect(await after(hourMs)).toEqual([3, 3, 4]);
    expect(max.known('q')).toBe(1);
  });

  it('leaves a project the limit that an operator has given it, less or more than its tier', async () => {
    const v4 = await start('by-spend');
    await ownLimit(2);
    expect([await browser(v4), await browser(v4), await browser(v4)]).toEqual([201, 201, 429]);
    started.clock.advance(100 * hourMs);
    expect(await browser(v4)).toBe(429);
    expect(await limitShown()).toMatchObject({ rateLimit: 2 });
    await ownLimit(null);
    expect([await browser(v4), await browser(v4)]).toEqual([201, 429]);
  });
});

it('a follow-up keeps to the limit that an operator has given its project', async () => {
  const v4 = await start(25);
  const { id, sessionId } = (await v4.call('POST', '/runs', { task: 'Say one' })).body;
  await v4.until(String(id), ({ status }) => status === 'completed');
  await ownLimit(1);
  expect(await browser(v4)).toBe(201);
  const next = { task: 'Say two', sessionId };
  expect((await v4.call('POST', '/runs', next)).status).toBe(429);
  expect((await v4.call('GET', `/runs?sessionId=${String(sessionId)}`)).body['runs']).toHaveLength(1);
  await ownLimit(2);
  expect((await v4.call('POST', '/runs', next)).status).toBe(200);
});

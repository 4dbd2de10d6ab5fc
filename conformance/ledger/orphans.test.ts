import { describe, expect, it } from 'vitest';
import { defaultTarget } from '../core/default-target.ts';
import type { Exchange } from '../core/exchange.ts';
import type { JsonValue } from '../core/json.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import { TooManyRequests } from '../core/outcome.ts';
import type { RequestSpec } from '../core/request.ts';
import { createLedger } from './ledger.ts';
import { findOrphans } from './orphans.ts';

const name = 'svc-check profile 1';

/** Searches for a task and a V3 profile whose answers were lost, with the answers of `lists` by operation. */
async function search(
  lists: Readonly<Record<string, () => JsonValue>>,
): Promise<{ task: LedgerEntry; profile: LedgerEntry }> {
  const ledger = createLedger();
  const task = ledger.request({ kind: 'task', generation: 'v2', createdBy: 'createTask' });
  const profile = ledger.request({ kind: 'profile', generation: 'v3', createdBy: 'createProfile', name });
  const send = async (spec: RequestSpec): Promise<Exchange> => {
    const json = lists[spec.operation]?.() ?? null;
    const request = { method: spec.method, url: 'http://127.0.0.1:1/', headers: {} };
    const times = { atMs: 0, durationMs: 0, index: 0, sentBy: 'test' };
    const { generation, operation } = spec;
    return { ...times, generation, operation, request, status: 200, headers: {}, body: JSON.stringify(json), json };
  };
  await findOrphans({ target: { ...defaultTarget, url: 'http://127.0.0.1:1' }, ledger, send, stamp: 'a-stamp' });
  return { task, profile };
}

describe('the search for resources whose answers were lost', () => {
  it('reads the other lists if the target refuses one', async () => {
    const { task, profile } = await search({
      listTasks: () => {
        throw new TooManyRequests('429');
      },
      listProfiles: () => ({ items: [{ id: 'p1', name }] }),
    });
    expect(task.state).toBe('requested');
    expect(profile).toMatchObject({ id: 'p1', state: 'live' });
  });

  it('takes an absent resource as refused only after the last page', async () => {
    const others = (count: number): JsonValue =>
      Array.from({ length: count }, (_, at) => ({ id: `p${at}`, name: 'other' }));
    const whole = await search({ listProfiles: () => ({ items: others(3), totalItems: 3 }) });
    expect(whole.profile.state).toBe('refused');
    const full = await search({ listProfiles: () => ({ items: others(100) }) });
    expect(full.profile.state).toBe('requested');
    const more = await search({ listProfiles: () => ({ items: others(3), totalItems: 4 }) });
    expect(more.profile.state).toBe('requested');
  });
});

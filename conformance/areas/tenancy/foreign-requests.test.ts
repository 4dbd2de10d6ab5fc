import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../core/exchange.ts';
import { idPlaces, placeName } from '../../core/id-places.ts';
import type { JsonObject } from '../../core/json.ts';
import { listOperations } from '../../core/list-operations.ts';
import { allOperations } from '../../core/operations.ts';
import { isCounted, resourceIdsAt, untried } from './foreign-requests.ts';
import { furtherJobAttempts } from './scenarios-two-keys.ts';
import { cursorKeys } from './scenarios-storage.ts';

const places = idPlaces();
const cursors = [...cursorKeys, ...(furtherJobAttempts.run.cursors ?? []).map(({ key }) => key)];

describe('what another project tries', () => {
  it('is every place where a request names a thing, or the place has a reason', () => {
    const tried = places.filter((place) =>
      place.name === 'cursor' ? cursors.includes(place.operation) : resourceIdsAt(place) !== undefined,
    );
    const others = places.filter((place) => !tried.includes(place)).map(placeName);
    expect(others.toSorted()).toEqual(Object.keys(untried).toSorted());
  });

  it.each([
    [{ sessions: [{ id: 'a' }] }, true],
    [{ sessions: [{ id: 'a' }], total: 1 }, true],
    [{ sessions: [{ id: 'a' }], total: 2 }, false],
  ])('may read a list without a total, and reads no total of more than it shows: %j', (json, want) => {
    const list = listOperations.find(({ operation }) => operation.key === 'v3.listSessions');
    if (list === undefined) throw new Error('v3.listSessions is no list');
    expect(isCounted({ list, whole: [exchangeOf(json)] })).toBe(want);
  });

  it('covers every operation with an id in its path', () => {
    const withIds = allOperations.filter(({ path }) => path.includes('{')).map(({ key }) => key);
    const named = places.filter(({ where }) => where === 'path').map(({ operation }) => operation);
    expect(named).toEqual(withIds);
    expect(withIds.filter((key) => untried[key] !== undefined)).toEqual(['v2.getOutputFile']);
  });
});

function exchangeOf(json: JsonObject): Exchange {
  const request = { method: 'GET', url: 'http://localhost/api/v3/sessions', headers: {} };
  const sent = {
    index: 0,
    generation: 'v3',
    operation: 'listSessions',
    sentBy: 'test',
    atMs: 0,
    durationMs: 0,
  } as const;
  return { ...sent, request, status: 200, headers: {}, body: JSON.stringify(json), json };
}

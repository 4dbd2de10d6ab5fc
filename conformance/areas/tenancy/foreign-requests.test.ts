import { describe, expect, it } from 'vitest';
import { idPlaces, placeName } from '../../core/id-places.ts';
import { allOperations } from '../../core/operations.ts';
import { resourceIdsAt, untried } from './foreign-requests.ts';
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

  it('covers every operation with an id in its path', () => {
    const withIds = allOperations.filter(({ path }) => path.includes('{')).map(({ key }) => key);
    const named = places.filter(({ where }) => where === 'path').map(({ operation }) => operation);
    expect(named).toEqual(withIds);
    expect(withIds.filter((key) => untried[key] !== undefined)).toEqual(['v2.getOutputFile']);
  });
});

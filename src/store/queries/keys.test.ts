import { CompiledQuery } from 'kysely';
import { expect, it } from 'vitest';
import { hasHashStart, insertKeyWithProject, keyLimit, limitKey, revokeKey } from './keys.ts';
import { openDatabase } from '../open-database.ts';

it('finds a key by the beginning of its hash, through the index of hashes', async () => {
  const db = await openDatabase(':memory:');
  for (const hash of ['abcdef', 'abd000', 'ab'])
    await insertKeyWithProject(db, {
      key: { hash, prefix: hash, name: null, projectId: hash, createdAtMs: 0, expiresAtMs: null, maySchedule: false },
      projectName: hash,
      grant: {},
    });
  expect(await limitKey(db, 'abc', 5)).toMatchObject({ hash: 'abcdef', monthlyMicros: 5 });
  expect([await keyLimit(db, 'abc'), await keyLimit(db, 'abd'), await keyLimit(db, 'abe')]).toEqual([5, null, null]);
  expect(await revokeKey(db, 'abd', 7)).toMatchObject({ hash: 'abd000', revokedAtMs: 7 });
  expect(await revokeKey(db, 'abcf', 7)).toBeNull();
  const query = db.selectFrom('api_keys').select('hash').where(hasHashStart('abc')).compile();
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]),
  );
  expect(rows.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH api_keys .*INDEX.*hash>\? AND hash<\?/),
  ]);
  await db.destroy();
});

import { CompiledQuery } from 'kysely';
import { expect, it } from 'vitest';
import { activeIn } from './counts.ts';
import { openDatabase } from '../open-database.ts';

it('counts what lives without reading what has ended: every part is found by its state', async () => {
  const db = await openDatabase(':memory:');
  const query = activeIn(db, 'project', ['created', 'idle', 'running']).compile();
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]),
  );
  const searches = rows.map(({ detail }) => detail).filter((detail) => detail.startsWith('SEARCH'));
  expect(searches).toHaveLength(3);
  for (const search of searches) expect(search).toMatch(/COVERING INDEX \w+_by_state .*status=\?/);
  await db.destroy();
});

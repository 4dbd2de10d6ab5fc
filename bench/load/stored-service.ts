import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrapKey } from '#accounts/api-keys.ts';
import { findOld } from '#store/queries/retention.ts';
import { openDatabase } from '#store/open-database.ts';
import { endStates } from '#contract/lifecycle.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type ServiceProcess, startService } from '../../tools/conformance/svc-process.ts';
import { type FilledIds, fillDatabase, storedKeys } from './fill-database.ts';

/** A service with a filled database. */
export interface Stored {
  readonly sessions: number;
  readonly service: ServiceProcess;
  readonly ids: FilledIds;
  /** Time in milliseconds that retention needs to find that no record is old enough to delete, by kind of record. */
  readonly findMs: ReadonlyMap<string, number>;
}

/** Number of sessions that the filled database contains for a second project. */
const others = 300;
/** Kinds of records that retention searches. */
export const storedKinds = [
  'sessions',
  'deletedSessions',
  'events',
  'screenshots',
  'recordings',
  'downloads',
  'workspaces',
] as const;

/** Fills a database in a folder and starts a service with it. The caller must stop the service. */
export async function openStored(folder: string, sessions: number): Promise<Stored> {
  mkdirSync(folder, { recursive: true });
  const now = Date.now();
  const db = await openDatabase(join(folder, 'svc.sqlite'));
  const ids = ['a', 'b'].map((letter) => `${letter.repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`);
  for (const [index, one] of Object.values(storedKeys).entries())
    await bootstrapKey(db, one, { newId: () => ids[index] ?? '', now, grant: {} });
  await db.destroy();
  const [project = '', other = ''] = ids;
  fillDatabase(folder, { projectId: other, sessions: others, untilMs: now - sessions * 1000 });
  const filled = fillDatabase(folder, { projectId: project, sessions, untilMs: now });
  const findMs = await findTimes(folder);
  const args = [
    '--port',
    '0',
    '--data',
    folder,
    '--hosts',
    'simulated',
    '--log-level',
    'error',
    '--metrics',
    '127.0.0.1:0',
  ];
  return { sessions, ids: filled, findMs, service: await startService({ args }) };
}

/**
 * Returns the time of each search of retention for old records, in milliseconds, by kind of record. No record is old
 * enough, so only the search itself is measured.
 */
async function findTimes(folder: string): Promise<Map<string, number>> {
  const db = await openDatabase(join(folder, 'svc.sqlite'));
  const ended = endStates(defaultRules.lifecycle);
  const times = new Map<string, number>();
  for (const kind of storedKinds) {
    const query = { ended, before: 0, limit: 100, only: null };
    await findOld(db, kind, query);
    const begun = performance.now();
    await findOld(db, kind, query);
    times.set(kind, performance.now() - begun);
  }
  await db.destroy();
  return times;
}

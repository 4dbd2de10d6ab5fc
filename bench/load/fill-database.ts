import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sealingSecret } from '#store/data-folder.ts';
import { createAccessTokens, createVault } from '#lib/vault.ts';
import { randomIds } from '#lib/ids.ts';

/** Ids of records in a filled database, by kind. */
export interface FilledIds {
  readonly v2Task: readonly string[];
  readonly v3Session: readonly string[];
  readonly v4Run: readonly string[];
}

/** Contents with which a database is filled. */
export interface Filling {
  readonly projectId: string;
  readonly sessions: number;
  /** Creation time of the latest session in milliseconds since the epoch; each earlier session is a second older. */
  readonly untilMs: number;
}

const uuid =
  "lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6))))";
const token = 'lower(hex(randomblob(16)))';
const drawn = 200;

/**
 * Inserts ended sessions of the three generations in equal parts, each with a run and two events, into the database of
 * a stopped service. Returns the ids of the latest tasks, sessions and runs of the project, at most 200 of each kind.
 */
export function fillDatabase(dataFolder: string, { projectId, sessions, untilMs }: Filling): FilledIds {
  const database = new DatabaseSync(join(dataFolder, 'svc.sqlite'));
  try {
    database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000; begin');
    const beginMs = untilMs - sessions * 1000;
    database
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < :sessions)
        insert into sessions (id, project_id, generation, status, resumable, model, keep_alive, code_mode, enable_recording, use_own_key,
          step_count, input_tokens, output_tokens, proxy_bytes, browser_ms, live_hash, view_hash, created_at, updated_at, active_at)
        select ${uuid}, :project, 'v' || (2 + i % 3), case when i % 3 = 2 then 'idle' else 'stopped' end, i % 3 = 2, 'gpt-5.6-luna', 0, 0, 0, 0,
          1, 6, 45, 0, 1000, ${token}, ${token}, :begin + i * 1000, :begin + i * 1000, :begin + i * 1000 from n`,
      )
      .run({ sessions, project: projectId, begin: beginMs });
    sealTokens(database, dataFolder);
    database.exec(`
      insert into workspaces (id, project_id, created_at, updated_at)
        select id, project_id, created_at, updated_at from sessions where generation = 'v4' and workspace_id is null;
      update sessions set workspace_id = id where generation = 'v4' and workspace_id is null;
      insert into runs (id, session_id, project_id, generation, task, status, model, success, created_at, started_at, ended_at, input_tokens, output_tokens)
        select ${uuid}, id, project_id, generation, 'Read the heading.', 'succeeded', model, 1, created_at, created_at, created_at + 900, 6, 45 from sessions
        where not exists (select 1 from runs where runs.session_id = sessions.id);
      insert into events (session_id, run_id, type, data, created_at)
        select session_id, id, 'session.created', '{}', created_at from runs where created_at >= ${beginMs};
      insert into events (session_id, run_id, type, data, created_at)
        select session_id, id, 'session.complete', '{"success":true}', created_at from runs where created_at >= ${beginMs};
      delete from totals;
      insert into totals select project_id, 'sessions ' || generation, count(*) from sessions where generation <> 'v4' group by 1, 2;
      insert into totals select project_id, 'runs v2', count(*) from runs where generation = 'v2' group by 1;
      insert into totals select project_id, 'workspaces', count(*) from workspaces group by 1;
      commit; analyze`);
    const ids = (query: string): string[] =>
      database
        .prepare(`${query} limit ${drawn}`)
        .all()
        .map(({ id }) => String(id));
    const latestRuns = (generation: string): string =>
      `select r.id as id from sessions s join runs r on r.session_id = s.id where s.project_id = '${projectId}' and s.generation = '${generation}' order by s.created_at desc`;
    return {
      v2Task: ids(latestRuns('v2')),
      v3Session: ids(
        `select id from sessions where project_id = '${projectId}' and generation = 'v3' order by created_at desc`,
      ),
      v4Run: ids(latestRuns('v4')),
    };
  } finally {
    database.close();
  }
}

/** Gives the new sessions access tokens, so that the service need not create these tokens when it starts. */
function sealTokens(database: DatabaseSync, dataFolder: string): void {
  const tokens = createAccessTokens(createVault(sealingSecret(dataFolder)), randomIds.newToken);
  const update = database.prepare('update sessions set live_hash = ?, view_hash = ?, sealed_tokens = ? where id = ?');
  for (const { id } of database.prepare('select id from sessions where sealed_tokens is null').all()) {
    const { liveHash: live, viewHash: view, sealedTokens: sealed } = tokens.make(String(id), ['live', 'view']);
    update.run(live, view, sealed, String(id));
  }
}

/** Keys of the two projects of a filled database. */
export const storedKeys = { key: 'svc_stored', otherKey: 'svc_stored_other' } as const;

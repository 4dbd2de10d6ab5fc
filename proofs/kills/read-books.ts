import type { TableReader } from './table-reader.ts';

/**
 * Numbers of sessions, runs and steps in the database of a service, and the violations of accounting and ordering
 * invariants as sentences.
 */
export interface Books {
  readonly sessions: number;
  readonly runs: number;
  readonly steps: number;
  readonly faults: readonly string[];
}

/**
 * Queries for rows that violate an invariant, by the sentence that reports the violation. `id` names the record,
 * `found` the values.
 */
const laws: Readonly<Record<string, string>> = {
  'the tokens of a session are not those of its runs': `
    select s.id as id, s.input_tokens || '/' || s.output_tokens || ' and ' || coalesce(sum(r.input_tokens), 0) || '/' || coalesce(sum(r.output_tokens), 0) as found
    from sessions s left join runs r on r.session_id = s.id group by s.id
    having s.input_tokens <> coalesce(sum(r.input_tokens), 0) or s.output_tokens <> coalesce(sum(r.output_tokens), 0)`,
  'the money of a session is not that of its runs': `
    select s.id as id, s.llm_picos || ' and ' || coalesce(sum(r.llm_picos), 0) as found
    from sessions s left join runs r on r.session_id = s.id group by s.id having s.llm_picos <> coalesce(sum(r.llm_picos), 0)`,
  'the tokens of a run are not those of its steps': `
    select r.id as id, r.input_tokens || '/' || r.output_tokens || ' and ' || coalesce(sum(t.input_tokens), 0) || '/' || coalesce(sum(t.output_tokens), 0) as found
    from runs r left join steps t on t.run_id = r.id group by r.id
    having r.input_tokens <> coalesce(sum(t.input_tokens), 0) or r.output_tokens <> coalesce(sum(t.output_tokens), 0)`,
  'a session counts other steps than it has': `
    select s.id as id, s.step_count || ' and ' || count(t.id) as found
    from sessions s left join steps t on t.session_id = s.id group by s.id having s.step_count <> count(t.id)`,
  'a run tells other steps than it has': `
    select r.id as id, (select count(*) from steps t where t.run_id = r.id) || ' and ' || (select count(*) from events e where e.run_id = r.id and e.type = 'step') as found
    from runs r where (select count(*) from steps t where t.run_id = r.id) <> (select count(*) from events e where e.run_id = r.id and e.type = 'step')`,
  'a run was begun or completed more than once': `
    select run_id as id, type || ' ' || count(*) as found from events
    where type in ('session.dispatch', 'session.complete') and run_id is not null group by run_id, type having count(*) > 1`,
  'a run that has ended is still going on, or the other way round': `
    select id, status || ' ' || coalesce(cast(ended_at as text), 'null') as found from runs
    where (ended_at is null) <> (status in ('queued', 'running'))`,
  'a call to a model is pending in a run that has ended': `
    select c.id as id, r.status as found from model_calls c join runs r on r.id = c.run_id where r.status not in ('queued', 'running')`,
  'an ended holder still holds a profile': `
    select l.profile_id as id, coalesce(s.status, b.status, 'none') as found from profile_leases l
    left join sessions s on s.id = l.holder_id left join browsers b on b.id = l.holder_id
    where coalesce(s.status, b.status, 'none') in ('stopped', 'timed_out', 'error', 'none')`,
};

/** Checks the tables of a service for violations. */
export async function readBooks(read: TableReader): Promise<Books> {
  const count = async (table: string): Promise<number> =>
    Number((await read(`select count(*) as n from ${table}`))[0]?.['n']);
  const faults: string[] = [];
  for (const [law, query] of Object.entries(laws))
    for (const { id, found } of await read(query)) faults.push(`${law}: ${String(id)} (${String(found)})`);
  return { sessions: await count('sessions'), runs: await count('runs'), steps: await count('steps'), faults };
}

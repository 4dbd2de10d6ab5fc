import type { Transaction } from 'kysely';
import type { JsonObject } from '#lib/json.ts';
import { addEvent } from '#store/queries/inserts.ts';
import { endOfRun } from '#store/queries/runs.ts';
import type { Tables } from '#store/schema.ts';

/** Something of a run that is to be told; `type` is an event of spec/rules/run-events.yaml, `data` names no secret. */
export interface RunNote {
  readonly sessionId: string;
  readonly runId: string;
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * Writes down what happened in a run, in the transaction of the change that it tells. Nothing is added to a run that has
 * ended meanwhile: false then.
 */
export async function noteEvent(trx: Transaction<Tables>, note: RunNote, now: number): Promise<boolean> {
  const { sessionId, runId, type, data } = note;
  if ((await endOfRun(trx, runId)) !== null) return false;
  const event = { session_id: sessionId, run_id: runId, type, data: JSON.stringify(data), created_at: now };
  await addEvent(trx, event);
  return true;
}

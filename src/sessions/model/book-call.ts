import { picosOf } from '#contract/money.ts';
import type { ModelUsage } from '#agent/model/model-call.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { noteEvent } from '../note-event.ts';
import type { EngineState } from '../parts.ts';
import type { CallPlace } from './call-place.ts';
import { inTransaction } from '#store/transaction.ts';

/** A call that has been made. */
export interface CallBooking {
  readonly callId: string;
  readonly place: CallPlace;
  readonly usage: ModelUsage;
}

/**
 * Books what a call has used and gives its reservation back, in one transaction. False when nothing was booked: the call was
 * booked before, or its run has ended meanwhile, and what has ended costs what it cost at its end.
 */
export async function bookCall(engine: EngineState, { callId, place, usage }: CallBooking): Promise<boolean> {
  const { inputTokens, outputTokens } = usage;
  const picos = picosOf(place.price, usage);
  const now = engine.clock.now();
  const { project_id: projectId } = await sessionById(engine.db, place.sessionId);
  return inTransaction(
    engine.db,
    async (trx) => {
      const held = await trx.deleteFrom('model_calls').where('id', '=', callId).executeTakeFirst();
      if (held.numDeletedRows === 0n) return false;
      const booked = await trx
        .updateTable('runs')
        .set((eb) => ({
          input_tokens: eb('input_tokens', '+', inputTokens),
          output_tokens: eb('output_tokens', '+', outputTokens),
          llm_picos: eb('llm_picos', '+', picos),
        }))
        .where('id', '=', place.runId)
        .where('status', '=', 'running')
        .executeTakeFirst();
      if (booked.numUpdatedRows === 0n) return false;
      await trx
        .updateTable('sessions')
        .set((eb) => ({
          input_tokens: eb('input_tokens', '+', inputTokens),
          output_tokens: eb('output_tokens', '+', outputTokens),
          llm_picos: eb('llm_picos', '+', picos),
          updated_at: now,
          active_at: now,
        }))
        .where('id', '=', place.sessionId)
        .execute();
      const data = { input_tokens: inputTokens, output_tokens: outputTokens };
      return noteEvent(trx, { ...place, type: 'model.call', data }, now);
    },
    { of: [place.sessionId, projectId] },
  );
}

/** Gives the reservation of a call back that came to nothing. */
export async function releaseCall({ db }: Pick<EngineState, 'db'>, callId: string): Promise<void> {
  await db.deleteFrom('model_calls').where('id', '=', callId).execute();
}

import type { Transaction } from 'kysely';
import { microsToDecimal, picosPerMicro } from '#contract/money.ts';
import type { RunOfSession, Tables } from '#store/schema.ts';
import { meteredColumns, runCosts, sessionCosts } from '../meters.ts';
import type { EngineState } from '../parts.ts';

/** What may still be spent on model calls under one bound. */
export interface Room {
  /** Pico-dollars; negative when the bound is passed. */
  readonly picos: number;
  /** What the bound is, as a reason begins. */
  readonly bound: string;
}

/** What is asked, and what was read before the transaction because it needs one of its own. */
export interface RoomQuery extends RunOfSession {
  /** What standalone browsers of the project have cost, in micro-dollars. */
  readonly elsewhereMicros: number;
}

/**
 * The bounds that a run works under, each with what is left for model calls: the ceilings of its run and session, and the credit
 * of its project where one was given. What calls under way can cost at most is taken as spent.
 */
export async function roomLeft(engine: EngineState, trx: Transaction<Tables>, asked: RoomQuery): Promise<Room[]> {
  const { run, session } = asked;
  const rooms: Room[] = [];
  if (session.max_cost_micros === null && run.max_cost_micros === null) return credit(engine, trx, asked);
  const held = await heldBy(trx, session.id);
  if (session.max_cost_micros !== null)
    rooms.push({
      picos: under(session.max_cost_micros, sessionCosts(engine, session), session.llm_picos + total(held)),
      bound: `cost ceiling reached: the session may cost ${usd(session.max_cost_micros)}`,
    });
  if (run.max_cost_micros !== null)
    rooms.push({
      picos: under(run.max_cost_micros, runCosts(engine, asked), runPicos(asked) + total(held)),
      bound: `cost ceiling reached: the run may cost ${usd(run.max_cost_micros)}`,
    });
  return [...rooms, ...(await credit(engine, trx, asked))];
}

/** A session that lives for one run is its run's own (see runCosts). */
function runPicos({ run, session }: RunOfSession): number {
  return session.generation !== 'v3' && session.keep_alive === 0 ? session.llm_picos : run.llm_picos;
}

/** Tokens are rounded up once, so a bound in whole micro-dollars leaves exactly this much. */
function under(
  boundMicros: number,
  spent: { readonly proxy: number; readonly browser: number },
  picos: number,
): number {
  return (boundMicros - spent.proxy - spent.browser) * picosPerMicro - picos;
}

/** Without a credit of its own a project has no bound, and nothing is summed up. */
async function credit(engine: EngineState, trx: Transaction<Tables>, asked: RoomQuery): Promise<Room[]> {
  const { session, elsewhereMicros } = asked;
  const { credit_micros: given } = await trx
    .selectFrom('projects')
    .select('credit_micros')
    .where('id', '=', session.project_id)
    .executeTakeFirstOrThrow();
  if (given === null) return [];
  const rows = await trx
    .selectFrom('sessions')
    .select(meteredColumns)
    .where('project_id', '=', session.project_id)
    .execute();
  const held = await trx
    .selectFrom('model_calls')
    .select('reserved_picos')
    .where('project_id', '=', session.project_id)
    .execute();
  const spent = rows.reduce((sum, row) => sum + sessionCosts(engine, row).total, 0) + elsewhereMicros;
  // Each session's tokens are rounded up by themselves: what a call adds is at most one micro-dollar more than it costs.
  const calls = (held.length + 1) * picosPerMicro;
  const picos = (given - spent) * picosPerMicro - total(held) - calls;
  return [{ picos, bound: `credit used up: the project may spend ${usd(given)}` }];
}

function heldBy(trx: Transaction<Tables>, sessionId: string): Promise<{ reserved_picos: number }[]> {
  return trx.selectFrom('model_calls').select('reserved_picos').where('session_id', '=', sessionId).execute();
}

function total(held: readonly { readonly reserved_picos: number }[]): number {
  return held.reduce((sum, { reserved_picos: picos }) => sum + picos, 0);
}

function usd(micros: number): string {
  return `${microsToDecimal(micros)} USD`;
}

import type { Transaction } from 'kysely';
import type { ModelMessage, ModelPart, ModelRequest, ModelUsage } from '#agent/model/model-call.ts';
import { microsToDecimal, picosOf, picosPerMicro, type TokenPrice } from '#contract/money.ts';
import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { RunOfSession, Tables } from '#store/schema.ts';
import { inTransaction, passingTransaction } from '#store/transaction.ts';
import { meteredColumns, runCosts, sessionCosts } from '../meters.ts';
import type { EngineState } from '../parts.ts';
import { noteEvent } from '../transition.ts';

/** Money was set aside for a call; or why there is none: its run has ended, or a bound is in the way, in words. */
export type Reserved =
  | { readonly callId: string; readonly maxOutputTokens: number }
  | 'ended'
  | { readonly refusal: string };

/**
 * Sets aside what a call can cost at most. Where less than that is left its output is shortened to what fits, down to
 * `modelOutputTokensMin` of spec/rules/limits.yaml. One transaction: calls at the same moment never get the same money.
 */
export async function reserveCall(engine: EngineState, place: CallPlace, request: ModelRequest): Promise<Reserved> {
  const inputPicos = promptTokens(engine.rules, request) * place.price.inputPicos;
  const session = await sessionById(engine.db, place.sessionId);
  // It reads by itself, which a transaction on the one connection would wait for. Only a credit is judged by it.
  const elsewhereMicros = (await hasCredit(engine, session.project_id))
    ? await engine.spentElsewhere(session.project_id)
    : 0;
  // A power cut frees it, as every start does.
  return passingTransaction(
    engine.db,
    async (trx) => {
      const run = await trx.selectFrom('runs').selectAll().where('id', '=', place.runId).executeTakeFirstOrThrow();
      if (run.status !== 'running') return 'ended';
      const now = await trx
        .selectFrom('sessions')
        .selectAll()
        .where('id', '=', place.sessionId)
        .executeTakeFirstOrThrow();
      const tightest = least(await roomLeft(engine, trx, { run, session: now, elsewhereMicros }));
      const maxOutputTokens = fitting(engine, tightest.picos - inputPicos, { place, request });
      if (maxOutputTokens === null) return { refusal: `${tightest.bound}, and the next call to the model may not fit` };
      const callId = engine.newId();
      const call = { id: callId, project_id: session.project_id, session_id: session.id, run_id: run.id };
      const reserved = inputPicos + maxOutputTokens * place.price.outputPicos;
      await trx
        .insertInto('model_calls')
        .values({ ...call, reserved_picos: reserved, created_at: engine.clock.now() })
        .execute();
      return { callId, maxOutputTokens };
    },
    { of: [session.id, session.project_id] },
  );
}

async function hasCredit({ db }: EngineState, projectId: string): Promise<boolean> {
  const project = await db
    .selectFrom('projects')
    .select('credit_micros')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return project.credit_micros !== null;
}

function least(rooms: readonly Room[]): Room {
  const unbounded = { picos: Number.POSITIVE_INFINITY, bound: '' };
  return rooms.reduce((tightest, room) => (room.picos < tightest.picos ? room : tightest), unbounded);
}

/** How many output tokens the money is good for, at most what was asked for; null where they would be too few to be of use. */
function fitting(
  engine: EngineState,
  leftPicos: number,
  { place, request }: { place: CallPlace; request: ModelRequest },
): number | null {
  if (leftPicos < 0) return null;
  const { outputPicos } = place.price;
  const affordable = outputPicos === 0 ? Number.POSITIVE_INFINITY : Math.floor(leftPicos / outputPicos);
  const asked = Math.max(request.maxOutputTokens, place.outputTokensMin);
  if (affordable >= asked) return asked;
  const usefulMin = Math.max(limitOf(engine.rules, 'modelOutputTokensMin'), place.outputTokensMin);
  return affordable >= usefulMin ? affordable : null;
}

/**
 * As how many input tokens a request is paid for in advance: more than providers make of it, as far as that can be said without
 * their tokenizers (decision 36). An integer of at least 1.
 */
function promptTokens(rules: RuleBook, request: ModelRequest): number {
  const { system, messages, tools, outputSchema } = request;
  const shown = messages.map(textOf);
  const bytes = Buffer.byteLength(JSON.stringify([system, shown, tools, outputSchema]));
  const images = messages.reduce((sum, message) => sum + imagesIn(message), 0);
  return (
    limitOf(rules, 'modelPromptOverhead') +
    Math.ceil(bytes / limitOf(rules, 'modelPromptBytesPerToken')) +
    images * limitOf(rules, 'modelImageTokens')
  );
}

/** What of a message is text, as data; the bytes of images count by themselves. */
function textOf(message: ModelMessage): unknown {
  if (message.role === 'user') return message.parts.map(textOfPart);
  if (message.role === 'tools') return message.results.map(({ parts, ...rest }) => [rest, parts.map(textOfPart)]);
  const { text, toolCalls, replay } = message.reply;
  return replay ?? [text, toolCalls];
}

function textOfPart(part: ModelPart): string {
  return part.kind === 'text' ? part.text : '';
}

function imagesIn(message: ModelMessage): number {
  return partsOf(message).filter(({ kind }) => kind === 'image').length;
}

function partsOf(message: ModelMessage): readonly ModelPart[] {
  if (message.role === 'user') return message.parts;
  return message.role === 'tools' ? message.results.flatMap(({ parts }) => parts) : [];
}

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
async function roomLeft(engine: EngineState, trx: Transaction<Tables>, asked: RoomQuery): Promise<Room[]> {
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

/** Whose call it is, and what its tokens cost. */
export interface CallPlace {
  readonly sessionId: string;
  readonly runId: string;
  readonly price: TokenPrice;
  /** Fewer tokens of output the model cannot be asked for; at least 1. */
  readonly outputTokensMin: number;
}

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
          answered_by: 'model' as const,
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
          answered_by: 'model' as const,
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

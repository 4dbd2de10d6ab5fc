import { runState } from '#generated/states.ts';
import type { ModelMessage, ModelPart, ModelRequest, ModelUsage } from '#agent/model/model-call.ts';
import { microsToDecimal, tokenPicos, picosPerMicro, type TokenPrice } from '#contract/money.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import {
  bookCallUse,
  deleteModelCall,
  insertModelCall,
  reservedOfKey,
  reservedOfProject,
  reservedOfSession,
} from '#store/queries/model-calls.ts';
import { keyLimit } from '#store/queries/keys.ts';
import { projectCredit } from '#store/queries/projects.ts';
import { runById } from '#store/queries/runs.ts';
import { meteredSessions, sessionById } from '#store/queries/sessions.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import { inTransaction, passingTransaction, type Transaction } from '#store/transaction.ts';
import { runCosts, sessionCosts } from '../meters.ts';
import { spentByKey } from '../project-spend.ts';
import type { EngineState } from '../engine-deps.ts';
import { noteEvent } from '../transition.ts';

/**
 * Result of a reservation: id and output limit of the call, or why nothing was reserved (the run has ended, or the
 * reached limit in words).
 */
export type Reserved =
  | { readonly callId: string; readonly maxOutputTokens: number }
  | 'ended'
  | { readonly refusal: string };

/**
 * Reserves the maximum cost of a call. When less money is left, reduces the output limit of the call to fit, down to
 * `modelOutputTokensMin` of spec/rules/limits.yaml. One transaction, so concurrent calls never reserve the same money.
 */
export async function reserveCall(engine: EngineState, place: CallPlace, request: ModelRequest): Promise<Reserved> {
  const inputPicos = promptTokens(engine.rules, request) * place.price.inputPicos;
  const session = await sessionById(engine.db, place.sessionId);
  // The spend is read before the transaction, because its reads use no transaction and could wait for this one. Only a
  // credit limit depends on the spend.
  const hasCredit = (await projectCredit(engine.db, session.projectId)) !== null;
  const elsewhereMicros = hasCredit ? await engine.spentElsewhere(session.projectId) : 0;
  // A power failure may lose the reservation. That does no harm, because every start releases reservations.
  return passingTransaction(
    engine.db,
    async (trx) => {
      const run = await runById(trx, place.runId);
      if (run.status !== runState.running) return 'ended';
      const now = await sessionById(trx, place.sessionId);
      const tightest = least(await roomLeft(engine, trx, { run, session: now, elsewhereMicros }));
      const maxOutputTokens = fitting(engine, tightest.picos - inputPicos, { place, request });
      if (maxOutputTokens === null) return { refusal: `${tightest.bound}, and the next call to the model may not fit` };
      const callId = engine.newId();
      const call = { id: callId, projectId: session.projectId, sessionId: session.id, runId: run.id };
      const reservedPicos = inputPicos + maxOutputTokens * place.price.outputPicos;
      await insertModelCall(trx, { ...call, reservedPicos, createdAtMs: engine.clock.now() });
      return { callId, maxOutputTokens };
    },
    { of: [session.id, session.projectId] },
  );
}

function least(rooms: readonly Room[]): Room {
  const unbounded = { picos: Number.POSITIVE_INFINITY, bound: '' };
  return rooms.reduce((tightest, room) => (room.picos < tightest.picos ? room : tightest), unbounded);
}

/**
 * Returns how many output tokens the remaining money pays for: at most the requested number, or the minimum of the
 * model if that is larger. Returns null if the money does not pay for the minimum of a useful call.
 */
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
  const usefulMin = Math.max(getLimit(engine.rules, 'modelOutputTokensMin'), place.outputTokensMin);
  return affordable >= usefulMin ? affordable : null;
}

/**
 * Estimates the input tokens of a request for its reservation: an upper bound without the provider's tokenizer
 * (decision 34). An integer of at least 1.
 */
function promptTokens(rules: RuleBook, request: ModelRequest): number {
  const { system, messages, tools, outputSchema } = request;
  const shown = messages.map(getText);
  const bytes = Buffer.byteLength(JSON.stringify([system, shown, tools, outputSchema]));
  const images = messages.reduce((sum, message) => sum + imagesIn(message), 0);
  return (
    getLimit(rules, 'modelPromptOverhead') +
    Math.ceil(bytes / getLimit(rules, 'modelPromptBytesPerToken')) +
    images * getLimit(rules, 'modelImageTokens')
  );
}

/** Returns the content of a message whose bytes are counted as prompt tokens. Images are counted separately. */
function getText(message: ModelMessage): unknown {
  if (message.role === 'user') return message.parts.map(getPartText);
  if (message.role === 'tools') return message.results.map(({ parts, ...rest }) => [rest, parts.map(getPartText)]);
  const { text, toolCalls, replay } = message.reply;
  return replay ?? [text, toolCalls];
}

function getPartText(part: ModelPart): string {
  return part.kind === 'text' ? part.text : '';
}

function imagesIn(message: ModelMessage): number {
  return listParts(message).filter(({ kind }) => kind === 'image').length;
}

function listParts(message: ModelMessage): readonly ModelPart[] {
  if (message.role === 'user') return message.parts;
  return message.role === 'tools' ? message.results.flatMap(({ parts }) => parts) : [];
}

/** Remaining money for model calls under one limit. */
export interface Room {
  /** Money left in pico-dollars; negative when the limit is exceeded. */
  readonly picos: number;
  /** First words of a refusal, which name the limit and its amount. */
  readonly bound: string;
}

/** A run with its session, and a cost that was read before the transaction. */
export interface RoomQuery extends RunOfSession {
  /** Cost of the project's standalone browsers, in micro-dollars. */
  readonly elsewhereMicros: number;
}

/**
 * Returns the limits of a run, each with the money that is left for model calls. They are the cost limits of run and
 * session, the project's credit, and the monthly limit of the key. Pending calls count with their maximum cost.
 */
async function roomLeft(engine: EngineState, trx: Transaction, asked: RoomQuery): Promise<Room[]> {
  const { run, session } = asked;
  const rooms: Room[] = [];
  const shared = [...(await credit(engine, trx, asked)), ...(await keyRoom(engine, trx, session))];
  if (session.maxCostMicros === null && run.maxCostMicros === null) return shared;
  const held = await reservedOfSession(trx, session.id);
  if (session.maxCostMicros !== null)
    rooms.push({
      picos: under(session.maxCostMicros, sessionCosts(engine, session), session.llmPicos + total(held)),
      bound: `cost ceiling reached: the session may cost ${usd(session.maxCostMicros)}`,
    });
  if (run.maxCostMicros !== null)
    rooms.push({
      picos: under(run.maxCostMicros, runCosts(engine, asked), runPicos(asked) + total(held)),
      bound: `cost ceiling reached: the run may cost ${usd(run.maxCostMicros)}`,
    });
  return [...rooms, ...shared];
}

/**
 * Returns the model cost of a run in pico-dollars. A run that bears all costs of its session (see `runCosts`) has the
 * model cost of the session.
 */
function runPicos({ run, session }: RunOfSession): number {
  return session.generation !== 'v3' && session.keepAlive === 0 ? session.llmPicos : run.llmPicos;
}

/**
 * Returns the money left under a limit, in pico-dollars. `picos` is the unrounded model cost. The bill rounds this cost
 * up only once, so the result is exact.
 */
function under(
  boundMicros: number,
  spent: { readonly proxy: number; readonly browser: number },
  picos: number,
): number {
  return (boundMicros - spent.proxy - spent.browser) * picosPerMicro - picos;
}

/**
 * Returns the remaining credit of the project as one limit; an empty list, without reading costs, for a project without
 * a credit limit.
 */
async function credit(engine: EngineState, trx: Transaction, asked: RoomQuery): Promise<Room[]> {
  const { session, elsewhereMicros } = asked;
  const given = await projectCredit(trx, session.projectId);
  if (given === null) return [];
  const rows = await meteredSessions(trx, session.projectId);
  const held = await reservedOfProject(trx, session.projectId);
  const spent = rows.reduce((sum, row) => sum + sessionCosts(engine, row).total, 0) + elsewhereMicros;
  // Tokens are rounded up per session: by rounding, a call adds at most one micro-dollar.
  const calls = (held.length + 1) * picosPerMicro;
  const picos = (given - spent) * picosPerMicro - total(held) - calls;
  return [{ picos, bound: `credit used up: the project may spend ${usd(given)}` }];
}

/**
 * Returns what is left of the monthly limit of the key that created the session; an empty list if this key has no
 * limit, or no key created the session.
 */
async function keyRoom(
  { rules, clock }: EngineState,
  trx: Transaction,
  { keyId }: RunOfSession['session'],
): Promise<Room[]> {
  const limit = keyId === null ? null : await keyLimit(trx, keyId);
  if (keyId === null || limit === null) return [];
  const left = limit - (await spentByKey({ db: trx, rules, clock }, keyId));
  const picos = left * picosPerMicro - total(await reservedOfKey(trx, keyId));
  return [{ picos, bound: `monthly limit of the key used up: it may spend ${usd(limit)}` }];
}

function total(reservedPicos: readonly number[]): number {
  return reservedPicos.reduce((sum, picos) => sum + picos, 0);
}

function usd(micros: number): string {
  return `${microsToDecimal(micros)} USD`;
}

/** The run of a call, and its token price. */
export interface CallPlace {
  readonly sessionId: string;
  readonly runId: string;
  readonly price: TokenPrice;
  /** Minimum number of output tokens that the model accepts; at least 1. */
  readonly outputTokensMin: number;
}

/** A completed call. */
export interface CallBooking {
  readonly callId: string;
  readonly place: CallPlace;
  readonly usage: ModelUsage;
}

/**
 * Books the usage of a call and releases its reservation in one transaction. Returns false when nothing was booked: the
 * call was booked before, or the run has ended, so that its cost is final.
 */
export async function bookCall(engine: EngineState, { callId, place, usage }: CallBooking): Promise<boolean> {
  const { inputTokens, outputTokens } = usage;
  const picos = tokenPicos(place.price, usage);
  const now = engine.clock.now();
  const { projectId } = await sessionById(engine.db, place.sessionId);
  return inTransaction(
    engine.db,
    async (trx) => {
      if (!(await deleteModelCall(trx, callId))) return false;
      const { sessionId, runId } = place;
      if (!(await bookCallUse(trx, { sessionId, runId, inputTokens, outputTokens, picos, nowMs: now }))) return false;
      const data = { input_tokens: inputTokens, output_tokens: outputTokens };
      return noteEvent(trx, { ...place, type: 'model.call', data }, now);
    },
    { of: [place.sessionId, projectId] },
  );
}

/** Releases the reservation of a failed call. */
export async function releaseCall({ db }: Pick<EngineState, 'db'>, callId: string): Promise<void> {
  await deleteModelCall(db, callId);
}

import type { ModelRequest, ModelMessage, ModelPart } from '#agent/model/model-call.ts';
import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import { passingTransaction } from '#store/transaction.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { EngineState } from '../parts.ts';
import type { CallPlace } from './call-place.ts';
import { type Room, roomLeft } from './room-left.ts';

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

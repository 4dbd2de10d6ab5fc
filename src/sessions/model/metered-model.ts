import type { AgentTask } from '#agent/agent.ts';
import type { ModelAnswer, ModelClient, ModelDoor, ModelRequest } from '#agent/model/model-call.ts';
import { modelRow } from '#contract/models.ts';
import { tokenPrice } from '#contract/money.ts';
import type { SessionRow } from '#store/schema.ts';
import type { EngineState } from '../parts.ts';
import { type Sandbox, TaskEnd } from '../sandboxes.ts';
import { bookCall, type CallPlace, releaseCall, reserveCall } from './model-budget.ts';

/** The run whose model is opened. */
export interface ModelOf {
  readonly session: SessionRow;
  readonly runId: string;
  readonly goal: Pick<AgentTask, 'model' | 'modelParams'>;
  readonly sandbox: Sandbox;
  /** Ends the task. */
  readonly task: AbortController;
}

/**
 * The model that a run works with, on the caller's own key where that is asked for (V3) or stored (V4); null where no route leads
 * to it, and the offline planner works. Ends the task where its own key has gone since it was dispatched.
 */
export async function openModel(engine: EngineState, of: ModelOf): Promise<OpenedModel | null> {
  if (engine.models === null) return null;
  const { session, runId, goal, task } = of;
  const ownKey = await ownKeyOf(engine, of);
  const client = await engine.models.clientFor({
    generation: session.generation,
    model: goal.model,
    thinkingLevel: session.generation === 'v4' ? null : await levelOf(engine, runId),
    modelParams: goal.modelParams,
    ownKey,
  });
  if (client === null) return ownKey === null || session.generation !== 'v3' ? null : unserved(task, goal.model);
  const price = tokenPrice(engine.rules.pricing, { model: goal.model, isOwnKey: ownKey !== null });
  const place = { sessionId: session.id, runId, price, outputTokensMin: client.outputTokensMin ?? 1 };
  return createModelDoor(engine, { client, place, task });
}

/** V2 has no own keys; V3 uses one when told to; V4 uses one whenever it is there (contract section 4, own provider keys). */
async function ownKeyOf(
  { rules, providerKeys }: EngineState,
  { session, goal, sandbox, task }: ModelOf,
): Promise<{ provider: string; key: string } | null> {
  const provider = modelRow(rules, session.generation, goal.model)?.provider;
  const isWanted = session.generation === 'v4' || (session.generation === 'v3' && session.use_own_key === 1);
  if (provider === undefined || !isWanted) return null;
  const key = await providerKeys.keyOf(session.project_id, provider);
  if (key === null) return session.generation === 'v4' ? null : unserved(task, goal.model);
  // Nobody types it; should it come out of a provider's words or a page all the same, nobody sees it.
  sandbox.known.add([{ name: 'provider-key', value: key, domains: [] }]);
  return { provider, key };
}

async function levelOf({ db }: EngineState, runId: string): Promise<string | null> {
  const row = await db.selectFrom('runs').select('thinking_level').where('id', '=', runId).executeTakeFirstOrThrow();
  return row.thinking_level;
}

/** It is never served with a key of the service, nor by the planner: its owner asked for the key that has gone. */
function unserved(task: AbortController, model: string): never {
  task.abort(new TaskEnd('unserved', `model ${model} cannot be reached with your own provider key any more`));
  throw task.signal.reason;
}

/** The model of a run with its money. */
export interface OpenedModel {
  /** What the agent calls: a call that may not fit the run's bounds ends the task. */
  readonly door: ModelDoor;
  /** The same for what a task can do without: a call that may not fit is answered as a failure, and the task goes on. */
  readonly side: ModelDoor;
  /** Whether the agent made any call. Then the tokens of the run are booked with its calls, and not with its steps. */
  wasCalled(): boolean;
}

/** What a door stands before. */
export interface DoorParts {
  readonly client: ModelClient;
  readonly place: CallPlace;
  /** Ends the task. */
  readonly task: AbortController;
}

/** A client with money: each call is reserved before it is made and booked once after it. */
function createModelDoor(engine: EngineState, parts: DoorParts): OpenedModel {
  let calls = 0;
  const { seesImages, hasNativeOutput } = parts.client;
  const behind = (onRefusal: (reason: string) => ModelAnswer): ModelDoor => ({
    seesImages,
    hasNativeOutput,
    call: (request) => call(engine, { ...parts, onRefusal }, request),
  });
  const main = behind((reason) => {
    parts.task.abort(new TaskEnd('ceiling', reason));
    throw parts.task.signal.reason;
  });
  return {
    door: {
      ...main,
      call(request) {
        calls += 1;
        return main.call(request);
      },
    },
    side: behind((message) => ({ ok: false, failure: { kind: 'out-of-credit', message }, usage: nothing })),
    wasCalled: () => calls > 0,
  };
}

const nothing = { inputTokens: 0, outputTokens: 0 };

interface Called extends DoorParts {
  /** Answers for a call that may not fit, or throws. */
  readonly onRefusal: (reason: string) => ModelAnswer;
}

async function call(
  engine: EngineState,
  { client, place, task, onRefusal }: Called,
  request: ModelRequest,
): Promise<ModelAnswer> {
  task.signal.throwIfAborted();
  const reserved = await reserveCall(engine, place, request);
  if (reserved === 'ended') return stopped(task);
  if ('refusal' in reserved) return onRefusal(reserved.refusal);
  const { callId, maxOutputTokens } = reserved;
  const answer = await ask(engine, callId, () => client.call({ ...request, maxOutputTokens }, task.signal));
  const usage = answer.ok ? answer.reply.usage : answer.usage;
  if (!(await bookCall(engine, { callId, place, usage }))) return stopped(task);
  task.signal.throwIfAborted();
  return answer;
}

/** Without an answer nobody knows what the provider charges: the service bears it (decision 36). */
async function ask(engine: EngineState, callId: string, answer: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
  try {
    return await answer();
  } catch (error) {
    await releaseCall(engine, callId);
    throw error;
  }
}

/** Somebody ended the run: its task must not go on. */
function stopped(task: AbortController): never {
  if (!task.signal.aborted) task.abort(new TaskEnd('stopped'));
  throw task.signal.reason;
}

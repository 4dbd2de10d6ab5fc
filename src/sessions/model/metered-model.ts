import type { AgentTask } from '#agent/agent.ts';
import type { ModelAnswer, ModelClient, MeteredModel, ModelRequest } from '#agent/model/model-call.ts';
import { modelRow } from '#contract/models.ts';
import { tokenPrice } from '#contract/money.ts';
import { thinkingLevel } from '#store/queries/runs.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { EngineState } from '../engine-deps.ts';
import { type Sandbox, TaskEnd } from '../sandboxes.ts';
import { bookCall, type CallPlace, releaseCall, reserveCall } from './model-budget.ts';

/** The run for which a model client is opened. */
export interface MeteredRun {
  readonly session: SessionRow;
  readonly runId: string;
  readonly goal: Pick<AgentTask, 'model' | 'modelParams'>;
  readonly sandbox: Sandbox;
  /** Abort controller of the task. */
  readonly task: AbortController;
}

/**
 * Opens the model that judges a run: the requested judge model with its provider's default reasoning, else the model
 * of the run. Returns null if that model cannot be called.
 */
export async function openJudge(
  engine: EngineState,
  of: MeteredRun,
  { named, own }: { readonly named: string | null; readonly own: OpenedModel | null },
): Promise<MeteredModel | null> {
  if (named === null) return own?.side ?? null;
  const opened = await openModel(engine, { ...of, goal: { model: named, modelParams: null } }, false);
  return opened?.side ?? null;
}

/**
 * Opens the model client of a run. It uses the project's own key where requested (V3) or stored (V4). Returns null
 * without a route, so that the offline planner runs the task. Aborts the task and throws when a V3 task cannot use the
 * requested own key. If `hasLevel` is false, ignores the thinking level of the run.
 */
export async function openModel(engine: EngineState, of: MeteredRun, hasLevel = true): Promise<OpenedModel | null> {
  if (engine.models === null) return null;
  const { session, runId, goal, task } = of;
  const ownKey = await findOwnKey(engine, of);
  const client = await engine.models.clientFor({
    generation: session.generation,
    model: goal.model,
    thinkingLevel: session.generation === 'v4' || !hasLevel ? null : await thinkingLevel(engine.db, runId),
    modelParams: goal.modelParams,
    ownKey,
  });
  if (client === null) return ownKey === null || session.generation !== 'v3' ? null : unserved(task, goal.model);
  const price = tokenPrice(engine.rules.pricing, { model: goal.model, isOwnKey: ownKey !== null });
  const place = { sessionId: session.id, runId, price, outputTokensMin: client.outputTokensMin ?? 1 };
  return createMeteredModel(engine, { client, place, task });
}

/**
 * Returns the project's own provider key: never in V2, on request in V3, and whenever stored in V4 (contract section 4,
 * own provider keys). Null if none is used; aborts the task and throws if the requested key of a V3 task is missing.
 */
async function findOwnKey(
  { rules, providerKeys }: EngineState,
  { session, goal, sandbox, task }: MeteredRun,
): Promise<{ provider: string; key: string } | null> {
  const provider = modelRow(rules, session.generation, goal.model)?.provider;
  const isWanted = session.generation === 'v4' || (session.generation === 'v3' && session.useOwnKey === 1);
  if (provider === undefined || !isWanted) return null;
  const key = await providerKeys.readKey(session.projectId, provider);
  if (key === null) return session.generation === 'v4' ? null : unserved(task, goal.model);
  // The key is redacted if it appears in a provider's response or on a page.
  sandbox.known.add([{ name: 'provider-key', value: key, domains: [] }]);
  return { provider, key };
}

/**
 * Aborts a task whose own key cannot be used, and throws the reason. The task never falls back to a key of the service
 * or to the planner.
 */
function unserved(task: AbortController, model: string): never {
  task.abort(new TaskEnd('unserved', `model ${model} cannot be reached with your own provider key any more`));
  throw task.signal.reason;
}

/** The metered model of a run. */
export interface OpenedModel {
  /** Client for the agent: a call that may exceed a cost limit ends the task. */
  readonly door: MeteredModel;
  /** Client for optional calls: a call that may exceed a cost limit fails, and the task continues. */
  readonly side: MeteredModel;
  /**
   * Returns whether the agent called the model. If so, the run's tokens are booked with the calls instead of the steps.
   */
  wasCalled(): boolean;
}

/** Dependencies of the metered model client. */
export interface MeteredModelDeps {
  readonly client: ModelClient;
  readonly place: CallPlace;
  /** Abort controller of the task. */
  readonly task: AbortController;
}

/**
 * Creates the metered clients of a run. The maximum cost of each call is reserved before the call, and the actual cost
 * is booked once after it.
 */
function createMeteredModel(engine: EngineState, deps: MeteredModelDeps): OpenedModel {
  let calls = 0;
  const { seesImages, hasNativeOutput } = deps.client;
  const behind = (onRefusal: (reason: string) => ModelAnswer): MeteredModel => ({
    seesImages,
    hasNativeOutput,
    call: (request) => call(engine, { ...deps, onRefusal }, request),
  });
  const main = behind((reason) => {
    deps.task.abort(new TaskEnd('ceiling', reason));
    throw deps.task.signal.reason;
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

interface Called extends MeteredModelDeps {
  /** Returns the response for a call that may exceed a limit, or throws. */
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

/**
 * Calls the model. If the call rejects, releases its reservation, because the provider's charge is then unknown and the
 * service bears it (decision 34).
 */
async function ask(engine: EngineState, callId: string, answer: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
  try {
    return await answer();
  } catch (error) {
    await releaseCall(engine, callId);
    throw error;
  }
}

/** Aborts the task of a run that was ended from outside, and throws the reason. */
function stopped(task: AbortController): never {
  if (!task.signal.aborted) task.abort(new TaskEnd('stopped'));
  throw task.signal.reason;
}

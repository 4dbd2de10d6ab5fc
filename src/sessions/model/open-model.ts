import { modelRow } from '#contract/models.ts';
import { tokenPrice } from '#contract/money.ts';
import type { AgentTask } from '#agent/agent.ts';
import type { SessionRow } from '#store/schema.ts';
import type { EngineState } from '../parts.ts';
import type { Sandbox } from '../sandboxes.ts';
import { TaskEnd } from '../task-end.ts';
import { type OpenedModel, createModelDoor } from './create-model-door.ts';

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

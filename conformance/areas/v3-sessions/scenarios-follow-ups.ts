import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, toText } from '../../core/json.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { isReachable, type LevelCell, levelCells } from '../../common/level-cells.ts';
import { tryCredentials } from '../../common/credentials.ts';
import { createSession, CreationRefused, endStates, fetchSession, poll } from '../../common/observed-session.ts';
import { sample } from '../../core/random.ts';
import { codeModel } from './scenarios-outputs.ts';
import { findIdleCell, getKeepMembers, getOwnKeyMember } from './scenarios.ts';
import { keptModel } from './scenarios-kept.ts';

/**
 * Follow-ups that must be refused, sent to sessions without a task: one session for each model that does not support
 * every level, and one for an alias.
 */
export interface RefusedFollowUps {
  /**
   * Follow-ups with a level that the session's model does not support, sent while the session was idle. `named` is a
   * model that supports the level, if the follow-up names it.
   */
  unsupported: { cell: LevelCell; named: string | undefined; exchange: Exchange }[];
  /** Follow-ups with a supported level, and without a level, sent after the stop of the session. */
  late: { model: string; level: string | undefined; exchange: Exchange }[];
}

/** Maximum number of unsupported levels that are sent for one model. */
const levelsMax = 2;

/** Creates one idle session for each model of `drawModels` and sends follow-ups that must be refused. No task runs. */
export const refusedFollowUps: Scenario<RefusedFollowUps> = {
  name: 'refused-follow-ups',
  creates: 'one V3 session without a task for each model that does not support every level, and one on an alias',
  spend: 'task',
  dispatches: 0,
  stateful: true,
  unavailable: ({ v3 }) =>
    v3?.followUp === null ? 'the target file names no follow-up operation (v3.followUp)' : undefined,
  run: async (context) => {
    const recorded: RefusedFollowUps = { unsupported: [], late: [] };
    for (const cells of drawModels(context)) await context.live(() => refuseAll(context, cells, recorded));
    return recorded;
  },
};

/**
 * Returns the reachable cells by model, for the models that do not support every level and for the alias `codeModel`.
 * Omits `keptModel` and the model of `findIdleCell`, whose follow-ups other scenarios send.
 */
function drawModels({ target }: ScenarioContext): LevelCell[][] {
  const others = new Set([keptModel, findIdleCell(target).model]);
  const byModel = Map.groupBy(
    levelCells('v3').filter((cell) => isReachable(cell, target) && !others.has(cell.model)),
    ({ model }) => model,
  );
  return [...byModel.values()].filter((cells) => cells.some(({ accepted, model }) => !accepted || model === codeModel));
}

async function refuseAll(
  context: ScenarioContext,
  cells: readonly LevelCell[],
  recorded: RefusedFollowUps,
): Promise<void> {
  const [first] = cells;
  const id = first === undefined ? undefined : await createIdle(context, first);
  if (first === undefined || id === undefined) return;
  const body = followUpBody(context.target, first);
  const refusedCells = sample(
    cells.filter(({ accepted }) => !accepted),
    levelsMax,
    context.seed,
  );
  const plain = refusedCells.map((cell) => ({ cell, named: undefined }));
  for (const { cell, named } of [...plain, ...withOtherModel(context.target, refusedCells)]) {
    const sent = { ...body, thinkingLevel: cell.level, ...(named === undefined ? {} : { model: named }) };
    const exchange = await context.sessions.followUp(id, { body: sent, invalid: true });
    recorded.unsupported.push({ cell, named, exchange });
    if (succeeded(exchange)) break;
  }
  if (first.model === codeModel) await tryCredentials(context, [context.sessions.followUpRequest(id, body)]);
  await fetchSession(context, id);
  if (context.target.v3?.stop !== null) await refuseLate(context, { id, first, body }, recorded);
}

/**
 * Returns the first of the cells with `named`, another model that supports the cell's level. Returns an empty list if
 * there is no cell or no such model. Also returns an empty list if follow-ups have their own operation, for which the
 * contract shows no model.
 */
function withOtherModel(target: Target, cells: readonly LevelCell[]): { cell: LevelCell; named: string }[] {
  const [cell] = cells;
  const other = levelCells('v3').find(
    ({ level, accepted, ownKey, model }) => level === cell?.level && accepted && !ownKey && model !== cell.model,
  );
  if (cell === undefined || other === undefined || target.v3?.followUp?.path !== '/sessions') return [];
  return [{ cell, named: other.model }];
}

/**
 * Stops a session and sends follow-ups to it, which are refused because the session has ended. Sends nothing if the
 * session has not ended.
 */
async function refuseLate(
  context: ScenarioContext,
  { id, first, body }: { id: string; first: LevelCell; body: JsonObject },
  recorded: RefusedFollowUps,
): Promise<void> {
  await context.sessions.stop(id);
  const { record } = await fetchSession(context, id);
  if (!endStates.includes(toText(record['status']))) return;
  for (const level of [first.supported.at(-1), undefined]) {
    const sent = level === undefined ? body : { ...body, thinkingLevel: level };
    const exchange = await context.sessions.followUp(id, { body: sent, invalid: true });
    recorded.late.push({ model: first.model, level, exchange });
    if (succeeded(exchange)) break;
  }
}

/**
 * Creates a session without a task. Returns the id once the session is idle; undefined if the creation was refused, or
 * the session does not become idle.
 */
async function createIdle(context: ScenarioContext, { model, ownKey }: LevelCell): Promise<string | undefined> {
  try {
    const session = await createSession(context, { keepAlive: true, model, ...(ownKey ? { useOwnKey: true } : {}) });
    await poll(context, session, {
      id: session.id,
      until: ({ end }) => end.record['status'] !== 'created',
      deadlineMs: context.target.polling.startDeadlineMs,
    });
    return session.end.record['status'] === 'idle' ? session.id : undefined;
  } catch (error) {
    if (!(error instanceof CreationRefused)) throw error;
    return undefined;
  }
}

function followUpBody(target: Target, cell: LevelCell): JsonObject {
  const kept = getKeepMembers(target);
  const own = 'keepAlive' in kept && cell.ownKey ? getOwnKeyMember(target, cell) : {};
  return { task: target.tasks.succeed, ...kept, ...own };
}

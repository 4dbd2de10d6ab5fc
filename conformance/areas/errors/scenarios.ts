import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { type Exchange, refused, succeeded } from '../../core/exchange.ts';
import { identifier, type JsonObject, memberAt } from '../../core/json.ts';
import { idsIn } from '../../ledger/session-api.ts';
import { levelCells } from '../../common/cells.ts';
import { sessionProbe, taskProbe } from '../../common/probe-bodies.ts';
import { notOffered, type OperationKey } from '../../core/operations.ts';
import { uniqueText } from '../../core/text.ts';

/** Items that appeared in a generation's list while pairs were refused. */
export interface SideEffects {
  generation: 'v2' | 'v3';
  /** The last refused request. */
  exchange: Exchange;
  /** Items that appeared while three refusals were sent, in each of two rounds; undefined without a list. */
  appeared: [number, number] | undefined;
}

const perRound = 3;

/**
 * Sends refused pairs between two reads of the list, in two rounds. Other clients of the account may create resources
 * too.
 */
export const refusalSideEffects: Scenario<SideEffects[]> = {
  name: 'refusal-side-effects',
  creates: 'nothing: the lists are read before and after refusals',
  spend: 'none',
  dispatches: 0,
  stateful: true,
  run: async (context) => {
    const effects: SideEffects[] = [];
    for (const generation of ['v2', 'v3'] as const) {
      if (context.target[generation] !== null) effects.push(await observe(context, generation));
    }
    return effects;
  },
};

async function observe(context: ScenarioContext, generation: 'v2' | 'v3'): Promise<SideEffects> {
  const first = await round(context, generation);
  if (first.appeared === undefined || first.appeared === 0)
    return { ...first, generation, appeared: twice(first.appeared) };
  const second = await round(context, generation);
  return { ...second, generation, appeared: [first.appeared, second.appeared ?? 0] };
}

async function round(
  context: ScenarioContext,
  generation: 'v2' | 'v3',
): Promise<{ exchange: Exchange; appeared: number | undefined }> {
  const before = await listIds(context, generation);
  const cells = levelCells(generation).filter(({ accepted, ownKey }) => !accepted && !ownKey);
  let exchange = await refuse(context, generation, cells[0]);
  for (const cell of cells.slice(1, perRound)) exchange = await refuse(context, generation, cell);
  const after = await listIds(context, generation);
  if (before === undefined || after === undefined) return { exchange, appeared: undefined };
  const ours = context.ledger.entries().map((entry) => entry.id);
  return { exchange, appeared: after.filter((id) => !before.includes(id) && !ours.includes(id)).length };
}

function refuse(
  { resources, target }: ScenarioContext,
  generation: 'v2' | 'v3',
  cell?: { model: string; level: string },
): Promise<Exchange> {
  if (cell === undefined) throw new Error(`the ${generation} matrix has no refused cell`);
  const spec = { generation, method: 'POST', invalid: true } as const;
  if (generation === 'v2') {
    const body = { ...taskProbe(), llm: cell.model, thinkingLevel: cell.level };
    return resources.probe('task', { ...spec, operation: 'createTask', path: '/tasks', body });
  }
  const body = { ...sessionProbe(target), model: cell.model, thinkingLevel: cell.level };
  return resources.probe('session', { ...spec, operation: 'createSession', path: '/sessions', body });
}

async function listIds(context: ScenarioContext, generation: 'v2' | 'v3'): Promise<readonly string[] | undefined> {
  if (generation === 'v3') return context.sessions.listIds();
  const list = context.target.v2?.list ?? null;
  if (list === null) return undefined;
  const exchange = await context.send({ generation, operation: 'listTasks', method: list.method, path: list.path });
  return exchange.status === 200 ? idsIn(memberAt(exchange.json, list.items)) : undefined;
}

function twice(count: number | undefined): [number, number] | undefined {
  return count === undefined ? undefined : [count, count];
}

/** A refused change, and the resource before and after it. */
export interface RefusedChange {
  operation: OperationKey;
  before: Exchange;
  refusal: Exchange;
  after: Exchange;
}

interface Change {
  operation: OperationKey;
  look: OperationKey;
  of: 'profile' | 'workspace';
  body: JsonObject;
}

/**
 * Changes with one valid member beside an invalid one. A target that applies the valid member has changed the resource.
 */
const changes: readonly Change[] = [
  ...(['v2', 'v3', 'v4'] as const).map(
    (generation): Change => ({
      operation: `${generation}.updateProfile`,
      look: `${generation}.getProfile`,
      of: 'profile',
      body: { name: 'svc-check half a change', userId: { unexpected: 'value' } },
    }),
  ),
  ...(['v3', 'v4'] as const).flatMap((generation): Change[] => [
    {
      operation: `${generation}.updateWorkspace`,
      look: `${generation}.getWorkspace`,
      of: 'workspace',
      body: { name: { unexpected: 'value' } },
    },
    {
      operation: `${generation}.uploadWorkspaceFiles`,
      look: `${generation}.listWorkspaceFiles`,
      of: 'workspace',
      body: {
        files: [
          { name: 'half.txt', size: 4 },
          { name: '', size: 4 },
        ],
      },
    },
  ]),
];

const makers = {
  profile: ['v3.createProfile', 'v4.createProfile', 'v2.createProfile'],
  workspace: ['v4.createWorkspace', 'v3.createWorkspace'],
} as const;

/** Creates a profile and a workspace. Records each one before and after a refused change. */
export const refusedChanges: Scenario<RefusedChange[]> = {
  name: 'refused-changes',
  creates: 'a profile and a workspace, which are deleted again',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, []),
  run: async (context) => {
    const ids = { profile: await make(context, 'profile'), workspace: await make(context, 'workspace') };
    const results: RefusedChange[] = [];
    for (const { operation, look, of, body } of changes) {
      const id = ids[of];
      if (id === undefined || ![operation, look].every((key) => context.operations.offers(key))) continue;
      const see = (): Promise<Exchange> => context.operations.call(look, { path: [id] });
      const before = await see();
      const refusal = await context.operations.call(operation, { path: [id], body, invalid: true });
      if (refused(refusal) && succeeded(before)) results.push({ operation, before, refusal, after: await see() });
    }
    return results;
  },
};

async function make(
  { operations, ...parts }: ScenarioContext,
  kind: 'profile' | 'workspace',
): Promise<string | undefined> {
  const key = makers[kind].find((name) => operations.offers(name));
  if (key === undefined) return undefined;
  const made = await operations.create(kind, key, { body: { name: uniqueText(parts, `unchanged ${kind}`) } });
  return succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
}

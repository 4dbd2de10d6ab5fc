import { tryCredentials } from '../../common/credentials.ts';
import { workspaceGenerations, type WorkspaceGeneration } from '../../common/workspace-files.ts';
import { draw, unusualText } from '../../properties/arbitraries/index.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { createText, uniqueText } from '../../core/text.ts';
import { settleAll } from '../../core/outcome.ts';

/** Operations on the workspaces of one generation, and their responses. */
export interface WorkspaceLife {
  generation: WorkspaceGeneration;
  /**
   * Response to the creation of a workspace without a name. `named` is the response to a creation with a name, and
   * `fetched` is the fetch of the named workspace.
   */
  bare: Exchange;
  named: Exchange;
  fetched: Exchange;
  name: string;
  /** Fetch of the named workspace in each generation that the target offers. */
  elsewhere: Exchange[];
  /** Responses to updates: `renamed` with a new name, `unchanged` without members, `cleared` with null as the name. */
  renamed: Exchange;
  unchanged: Exchange;
  cleared: Exchange;
  /**
   * Response to the creation of a workspace with a name of 100 characters; `tooLong` holds the responses to a creation
   * and an update with a name beyond the limit.
   */
  longest: Exchange;
  tooLong: Exchange[];
  /** Response with the size of the named workspace, which has no files. */
  size: Exchange;
  /** Responses to fetch, update and size of an unknown id. */
  unknown: Exchange[];
  /**
   * Response to a deletion; `again` is the response to a second deletion, and `ofUnknown` to the deletion of an unknown
   * id.
   */
  deletion: Exchange;
  again: Exchange;
  ofUnknown: Exchange;
  /** Response to a fetch of the workspace after its deletion. */
  gone: Exchange;
  /**
   * V3 only: three reads of the list of workspaces: pages 1 and 2 with one item each, and page 1 with two items.
   * Undefined if the target offers no list, or if the total changed during each attempt.
   */
  lists: [Exchange, Exchange, Exchange] | undefined;
}

/** Creates workspaces of V3 and V4; records them from their creation to their deletion. */
export const workspaceLives: Scenario<WorkspaceLife[]> = {
  name: 'workspaces',
  creates: 'three workspaces in V3 and V4, which are deleted again',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => (offering(target).length === 0 ? notOffered(target, listOperationKeys('v3')) : undefined),
  run: (context) => settleAll(offering(context.target).map((generation) => live(context, generation))),
};

/**
 * Maximum length of a workspace name, in characters. V4 has two descriptions (255 and 100); the larger is used, because
 * both are legal.
 */
const nameBound: Record<WorkspaceGeneration, number> = { v3: 100, v4: 255 };

function listOperationKeys(generation: WorkspaceGeneration): OperationKey[] {
  return [
    `${generation}.createWorkspace`,
    `${generation}.getWorkspace`,
    `${generation}.updateWorkspace`,
    `${generation}.getWorkspaceSize`,
    `${generation}.deleteWorkspace`,
  ];
}

function offering(target: Target): WorkspaceGeneration[] {
  return workspaceGenerations.filter((generation) => notOffered(target, listOperationKeys(generation)) === undefined);
}

async function live(context: ScenarioContext, generation: WorkspaceGeneration): Promise<WorkspaceLife> {
  const { operations, seed, target } = context;
  const name = `${uniqueText(context, `workspace ${generation}`)} ${draw(unusualText(), { seed, purpose: generation })}`;
  const bare = await operations.create('workspace', `${generation}.createWorkspace`, { body: {} });
  const named = await operations.create('workspace', `${generation}.createWorkspace`, { body: { name } });
  const path = [readId(named)];
  const update = (body: { name?: string | null }): Promise<Exchange> =>
    operations.call(`${generation}.updateWorkspace`, { path, body });
  return {
    generation,
    name,
    bare,
    named,
    fetched: await operations.call(`${generation}.getWorkspace`, { path }),
    elsewhere: await settleAll(offering(target).map((other) => operations.call(`${other}.getWorkspace`, { path }))),
    renamed: await update({ name: `${name} new` }),
    unchanged: await update({}),
    cleared: await update({ name: null }),
    ...(await tryBounds(context, generation, path)),
    size: await operations.call(`${generation}.getWorkspaceSize`, { path }),
    lists: generation === 'v3' && operations.offers('v3.listWorkspaces') ? await stillLists(context) : undefined,
    ...(await end(context, generation, path)),
  };
}

async function tryBounds(
  { operations }: ScenarioContext,
  generation: WorkspaceGeneration,
  path: string[],
): Promise<Pick<WorkspaceLife, 'longest' | 'tooLong'>> {
  const body = { name: createText(nameBound[generation] + 1) };
  return {
    longest: await operations.create('workspace', `${generation}.createWorkspace`, {
      body: { name: createText(100) },
    }),
    tooLong: [
      await operations.probe('workspace', `${generation}.createWorkspace`, { body }),
      await operations.call(`${generation}.updateWorkspace`, { path, body, invalid: true }),
    ],
  };
}

const listTries = 5;

/**
 * Reads three pages of the list of workspaces, until their totals are equal. Returns undefined if the totals differ in
 * each attempt. Other clients of the account may change the list between two reads.
 */
async function stillLists({ operations }: ScenarioContext): Promise<WorkspaceLife['lists']> {
  const page = (pageNumber: number, pageSize: number): Promise<Exchange> =>
    operations.call('v3.listWorkspaces', { query: { pageNumber, pageSize } });
  for (let tried = 0; tried < listTries; tried += 1) {
    const lists: [Exchange, Exchange, Exchange] = [await page(1, 1), await page(2, 1), await page(1, 2)];
    const totals = new Set(lists.map(({ json }) => JSON.stringify(memberAt(json, 'totalItems') ?? null)));
    if (totals.size === 1) return lists;
  }
  return undefined;
}

async function end(
  context: ScenarioContext,
  generation: WorkspaceGeneration,
  path: string[],
): Promise<Pick<WorkspaceLife, 'unknown' | 'deletion' | 'again' | 'ofUnknown' | 'gone'>> {
  const { operations, seed } = context;
  await tryCredentials(context, [
    operations.request(`${generation}.updateWorkspace`, { path, body: { name: 'svc-check' } }),
    operations.request(`${generation}.deleteWorkspace`, { path }),
  ]);
  const unknown = [randomUuid(createRandom(seed))];
  const remove = (whose: string[]): Promise<Exchange> =>
    operations.call(`${generation}.deleteWorkspace`, { path: whose });
  return {
    unknown: [
      await operations.call(`${generation}.getWorkspace`, { path: unknown }),
      await operations.call(`${generation}.updateWorkspace`, { path: unknown, body: { name: 'renamed' } }),
      await operations.call(`${generation}.getWorkspaceSize`, { path: unknown }),
    ],
    deletion: await remove(path),
    again: await remove(path),
    ofUnknown: await remove(unknown),
    gone: await operations.call(`${generation}.getWorkspace`, { path }),
  };
}

function readId(exchange: Exchange): string {
  return (succeeded(exchange) ? identifier(memberAt(exchange.json, 'id')) : undefined) ?? 'unknown';
}

import { type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { type OperationKey, allOperations, notOffered } from '../../core/operations.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { uniqueText } from '../../core/text.ts';

/** A profile or workspace, and the attempts of another project on it. */
export interface ForeignStorage {
  id: string;
  /** The owner's fetch before the attempts; `after` is the fetch after them. */
  before: Exchange;
  after: Exchange;
  attempts: { does: 'reach' | 'list' | 'delete'; exchange: Exchange }[];
}

/** A kind of resource, and the operations that create and read it. */
interface Kind {
  kind: 'profile' | 'workspace';
  create: OperationKey;
  look: OperationKey;
  /**
   * Ids of the operations that name the resource by its id. The other project calls these operations, `list` and
   * `remove` in every generation that has them.
   */
  reach: readonly string[];
  list: string;
  remove: string;
}

/** Creates a profile; records the attempts of another project on it in every generation. */
export const foreignProfile = createScenario('foreign-profile', {
  kind: 'profile',
  create: 'v3.createProfile',
  look: 'v3.getProfile',
  reach: ['getProfile', 'updateProfile'],
  list: 'listProfiles',
  remove: 'deleteProfile',
});

/** Creates a workspace; records the attempts of another project on it in V3 and V4. */
export const foreignWorkspace = createScenario('foreign-workspace', {
  kind: 'workspace',
  create: 'v4.createWorkspace',
  look: 'v4.getWorkspace',
  reach: ['getWorkspace', 'updateWorkspace', 'getWorkspaceSize', 'listWorkspaceFiles', 'uploadWorkspaceFiles'],
  list: 'listWorkspaces',
  remove: 'deleteWorkspace',
});

function createScenario(name: string, kind: Kind): Scenario<ForeignStorage> {
  return {
    name,
    creates: `one ${kind.kind} for another project to try`,
    spend: 'storage',
    dispatches: 0,
    needsOtherKey: true,
    stateful: true,
    unavailable: (target) => notOffered(target, [kind.create, kind.look]),
    run: (context) => tryAll(context, kind),
  };
}

async function tryAll(context: ScenarioContext, kind: Kind): Promise<ForeignStorage> {
  const { operations } = context;
  const made = await operations.create(kind.kind, kind.create, {
    body: { name: uniqueText(context, `own ${kind.kind}`) },
  });
  const id = succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
  if (id === undefined) throw new NotTestable(`${kind.create} answered ${made.status} without an id`);
  const look = (): Promise<Exchange> => operations.call(kind.look, { path: [id] });
  const before = await look();
  const attempts: ForeignStorage['attempts'] = [];
  for (const attempt of attemptsOn(context, kind))
    attempts.push({ does: attempt.does, exchange: await attempt.send(id) });
  return { id, before, attempts, after: await look() };
}

interface Attempt {
  does: 'reach' | 'list' | 'delete';
  send(id: string): Promise<Exchange>;
}

/**
 * Returns the requests with which the other key tries to reach, list and delete a resource. Deletions come last,
 * because a deleted resource allows no further attempt.
 */
function attemptsOn({ operations, answers, otherApiKey = '' }: ScenarioContext, kind: Kind): Attempt[] {
  const key = { other: otherApiKey };
  const offered = allOperations.filter((operation) => operations.offers(operation.key));
  const reach = offered.filter(({ id }) => kind.reach.includes(id));
  return [
    ...reach.map((operation): Attempt => {
      const body = answers.getExample(operation);
      const sent = body === undefined ? {} : { body };
      return { does: 'reach', send: (id) => operations.call(operation.key, { path: [id], key, ...sent }) };
    }),
    ...offered
      .filter(({ id }) => id === kind.list)
      .map((operation): Attempt => {
        const query = { pageSize: 100 };
        return { does: 'list', send: () => operations.call(operation.key, { query, key }) };
      }),
    ...offered
      .filter(({ id }) => id === kind.remove)
      .map(
        (operation): Attempt => ({
          does: 'delete',
          send: (id) => operations.call(operation.key, { path: [id], key }),
        }),
      ),
  ];
}

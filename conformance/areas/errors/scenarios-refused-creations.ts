import { type CircuitBreaker, type Exchange, createCircuitBreaker, refused } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ResourceKind } from '../../core/ledger.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { growsUnasked, idsAtEnds } from './scenarios-side-effects.ts';
import { runProbe, sessionProbe, taskProbe } from '../../common/probe-bodies.ts';
import { unlisted } from '../../common/level-cells.ts';

/** Resources that appeared in lists while one operation was refused. */
export interface RefusedCreation {
  operation: OperationKey;
  /** The last refusal of the operation. */
  exchange: Exchange;
  /**
   * The ids that appeared, one list for each round of refused requests. A second round runs only if the first round
   * shows an id.
   */
  appeared: readonly (readonly string[])[];
}

interface Creation {
  operation: OperationKey;
  kind: ResourceKind;
  /**
   * Lists that would show a created resource: the list of its kind, then the lists of resources that the operation
   * creates as side effects.
   */
  lists: readonly OperationKey[];
  /**
   * Returns bodies that must be refused: malformed bodies and, for some operations, bodies with an unlisted word or
   * with `unknownId`, an id that does not exist.
   */
  bodies: (context: ScenarioContext, unknownId: string) => JsonObject[];
  /** Returns a valid body. The suite sends this body without a key, so that the target refuses it. */
  keyless?: (context: ScenarioContext) => JsonObject;
}

const wrongName = { name: { unexpected: 'value' } };

/** Every operation whose created resource appears in a list. */
export const creations: readonly Creation[] = [
  {
    operation: 'v2.createTask',
    kind: 'task',
    lists: ['v2.listTasks', 'v2.listSessions'],
    bodies: (_context, sessionId) => [
      { task: { unexpected: 'value' } },
      { ...taskProbe(), llm: unlisted },
      { ...taskProbe(), thinkingLevel: unlisted },
      { ...taskProbe(), sessionId },
    ],
    keyless: taskProbe,
  },
  {
    operation: 'v2.createSession',
    kind: 'session',
    lists: ['v2.listSessions'],
    bodies: (_context, profileId) => [{ profileId: 'svc-check' }, { profileId }],
  },
  {
    operation: 'v3.createSession',
    kind: 'session',
    lists: ['v3.listSessions', 'v3.listWorkspaces'],
    bodies: ({ target }, profileId) => [
      { task: { unexpected: 'value' } },
      { ...sessionProbe(target), model: unlisted },
      { ...sessionProbe(target), thinkingLevel: unlisted },
      { ...sessionProbe(target), profileId },
    ],
    keyless: ({ target }) => sessionProbe(target),
  },
  {
    operation: 'v4.createRun',
    kind: 'run',
    lists: ['v4.listRuns', 'v4.listSessions', 'v3.listWorkspaces'],
    bodies: ({ target }, workspaceId) => [
      {},
      { ...runProbe(target), modelParams: { reasoning: { effort: unlisted } } },
      { ...runProbe(target), workspaceId },
    ],
    keyless: ({ target }) => runProbe(target),
  },
  {
    operation: 'v4.createBrowser',
    kind: 'browser',
    lists: ['v4.listBrowsers'],
    bodies: (_context, profileId) => [{ proxyCountryCode: { unexpected: 'value' } }, { profileId }],
    keyless: () => ({}),
  },
  ...(['v3', 'v4'] as const).map((generation): Creation => {
    const operation = `${generation}.createWorkspace` as const;
    return { operation, kind: 'workspace', lists: ['v3.listWorkspaces'], bodies: () => [wrongName] };
  }),
  ...(['v2', 'v3', 'v4'] as const).map((generation): Creation => {
    const operation = `${generation}.createProfile` as const;
    const bodies = (): JsonObject[] => [wrongName, { name: 'svc-check', userId: { unexpected: 'value' } }];
    return { operation, kind: 'profile', lists: [`${generation}.listProfiles`], bodies };
  }),
];

/** Creating operations that the scenario does not send, each with the reason. */
export const otherCreations: Readonly<Record<string, string>> = {
  'v4.createMessage': 'it needs a session that works; a full queue that refuses is V4-QUEUE',
  'v2.createPublicShare': 'its bodies are empty, so that only an unknown session is refused',
  'v2.createSessionUpload': 'no list shows what was never sent',
  'v2.createBrowserUpload': 'no list shows what was never sent',
};

/**
 * Sends creations that must be refused. Records the ids that appear in lists at the same time. Omits operations of
 * which no request was refused, and operations whose lists other clients fill.
 */
export const refusedCreations: Scenario<RefusedCreation[]> = {
  name: 'refused-creations',
  creates: 'nothing: lists are read before and after refusals',
  spend: 'none',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, []),
  run: async (context) => {
    const breaker = createCircuitBreaker();
    const results: RefusedCreation[] = [];
    for (const creation of creations) {
      const lists = creation.lists.filter((key) => context.operations.offers(key));
      if (!context.operations.offers(creation.operation) || lists.length === 0 || breaker.on()) continue;
      const first = await round(context, creation, breaker);
      const again = first.appeared.length > 0 && !breaker.on();
      const rounds = again ? [first, await round(context, creation, breaker)] : [first];
      const { exchange } = rounds.at(-1) ?? first;
      if (!rounds.every(({ isJudged }) => isJudged)) continue;
      const isBusy = rounds.length > 1 && (await growsUnasked(context, () => idsAtEnds(context, lists)));
      if (isBusy) continue;
      results.push({ operation: creation.operation, exchange, appeared: rounds.map(({ appeared }) => appeared) });
    }
    return results;
  },
};

interface Round {
  exchange: Exchange;
  /** True if the target refused at least one request, and the ledger contains a resource for each accepted request. */
  isJudged: boolean;
  appeared: string[];
}

async function round(
  context: ScenarioContext,
  { operation, kind, lists, bodies, keyless }: Creation,
  breaker: CircuitBreaker,
): Promise<Round> {
  const before = await idsAtEnds(context, lists);
  const known = context.ledger.entries().length;
  const answers: Exchange[] = [];
  for (const body of bodies(context, randomUuid(createRandom(context.seed + 3)))) {
    if (breaker.on()) break;
    const answer = await context.operations.probe(kind, operation, { body });
    breaker.note(answer);
    answers.push(answer);
  }
  const spec = keyless === undefined ? undefined : context.operations.request(operation, { body: keyless(context) });
  if (spec !== undefined && !breaker.on()) answers.push(await context.resources.probe(kind, { ...spec, key: 'none' }));
  const refusals = answers.filter((answer) => refused(answer));
  const exchange = refusals.at(-1) ?? answers.at(-1);
  if (exchange === undefined) throw new Error(`${operation} has no body that is refused`);
  const accepted = answers.length - refusals.length;
  // An accepted run may create a session and a workspace as well. The list of runs shows neither.
  const after = await idsAtEnds(context, accepted === 0 ? lists : lists.slice(0, 1));
  const entries = context.ledger.entries();
  const ours = new Set(entries.map(({ id }) => id));
  const appeared = [...after].filter((id) => !before.has(id) && !ours.has(id));
  const isJudged = refusals.length > 0 && entries.length - known >= accepted;
  return { exchange, isJudged, appeared };
}

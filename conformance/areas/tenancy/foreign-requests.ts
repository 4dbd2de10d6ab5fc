import { createCircuitBreaker, type Exchange, refused } from '../../core/exchange.ts';
import { type IdPlace, idPlaces, pathParameters, placeName } from '../../core/id-places.ts';
import { type JsonObject, memberAt, objectWith } from '../../core/json.ts';
import type { ResourceKind } from '../../core/ledger.ts';
import type { Call } from '../../core/apis.ts';
import { type OperationKey, operationRow } from '../../core/operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import { runProbe, sessionProbe, taskProbe } from '../../common/probe-bodies.ts';
import { type ListOperation, listOperations } from '../../core/list-operations.ts';
import { followPages, listItems, readNextCursor } from '../../common/followed-pages.ts';

/** One attempt of another project to use an id of the first project. */
export interface ForeignAttempt {
  place: IdPlace;
  /** The owner's response to the same request, for read operations. */
  own?: Exchange;
  /** The other project's response for an unknown id; for a cursor, the other project's response without the cursor. */
  unknown: Exchange;
  /**
   * The other project's response for the owner's id; undefined if an unknown id creates a resource too, or if the
   * circuit breaker is open.
   */
  exchange: Exchange | undefined;
}

/** Resources of the first project. */
export interface OwnResources {
  ids: ResourceIds;
  /** Path of a file in the workspace, as each generation shows it. */
  files?: Partial<Record<'v3' | 'v4', string>>;
}

/**
 * Returns the places in the offered operations (path, query or body member) that name only resources of which `ids`
 * contains an id. Operations that end a resource come last.
 */
function listIdPlaces({ operations }: ScenarioContext, { ids }: OwnResources): IdPlace[] {
  const offered = idPlaces().filter(({ operation }) => operations.offers(operation));
  const named = offered.filter((place) => resourceIdsAt(place)?.every((name) => ids[name] !== undefined) === true);
  return named.toSorted((one, other) => rank(one) - rank(other));
}

/** Returns true if the operation of a place is a read (GET). */
function isLook({ operation }: IdPlace): boolean {
  return operationRow(operation).method === 'GET';
}

/** Sends every GET request that names a resource in its path, with the key of the owner. */
export async function readAsOwner(context: ScenarioContext, resources: OwnResources): Promise<Exchange[]> {
  const looks: Exchange[] = [];
  for (const place of listIdPlaces(context, resources)) {
    if (isLook(place) && place.where === 'path')
      looks.push(await context.operations.call(place.operation, buildCall(context, place, resources)));
  }
  return looks;
}

/**
 * With the key of the other project, calls every operation that names a resource: first with unknown ids, then with the
 * owner's ids. Sends each read also with the owner's key. Leaves out the owner's ids for a creation that accepts
 * unknown ids.
 */
export async function tryForeign(context: ScenarioContext, resources: OwnResources): Promise<ForeignAttempt[]> {
  const key = { other: context.otherApiKey ?? '' };
  const breaker = createCircuitBreaker();
  const unknownResources = withUnknownIds(context, resources);
  const attempts: ForeignAttempt[] = [];
  for (const place of listIdPlaces(context, resources)) {
    const makes = place.where === 'body' ? creations[place.operation] : undefined;
    const ask = async (whose: OwnResources, asked: Call['key'] = key): Promise<Exchange> => {
      const call = { ...buildCall(context, place, whose), key: asked ?? key };
      if (makes === undefined) return context.operations.call(place.operation, call);
      const exchange = await context.operations.probe(makes.kind, place.operation, call);
      breaker.note(exchange);
      return exchange;
    };
    if (makes !== undefined && breaker.on()) continue;
    const own = isLook(place) ? { own: await ask(resources, 'right') } : {};
    const unknown = await ask(unknownResources);
    const telling = makes === undefined || (refused(unknown) && !breaker.on());
    attempts.push({ place, ...own, unknown, exchange: telling ? await ask(resources) : undefined });
  }
  return attempts;
}

/**
 * Returns the sort key of a request that names an id: reads, then ids outside of the path, then changes. Operations
 * that end a resource come last: first the end of a part, such as a message, then the end of the whole, such as its
 * session.
 */
function rank(place: IdPlace): number {
  const { id, method, path } = operationRow(place.operation);
  if (method === 'GET') return 0;
  if (place.where !== 'path') return 1;
  if (method !== 'DELETE' && !ends.has(id)) return 2;
  return 1000 - path.length;
}

const ends = new Set(['stopSession', 'stopBrowser', 'cancelRun', 'purgeSession', 'updateTask']);

interface Creation {
  kind: ResourceKind;
  /** Returns the minimal members that the request needs besides the id. */
  body(context: ScenarioContext): JsonObject;
}

const creations: Partial<Record<OperationKey, Creation>> = {
  'v2.createSession': { kind: 'session', body: () => ({}) },
  'v2.createTask': { kind: 'task', body: () => taskProbe() },
  'v3.createSession': { kind: 'session', body: ({ target }) => sessionProbe(target) },
  'v4.createRun': { kind: 'run', body: ({ target }) => runProbe(target) },
  'v4.createBrowser': { kind: 'browser', body: () => ({}) },
};

function buildCall(context: ScenarioContext, place: IdPlace, { ids, files }: OwnResources): Call {
  const values = (resourceIdsAt(place) ?? []).map((name) => ids[name] ?? '');
  const [id = ''] = values;
  if (place.where === 'query') return { query: { [place.name]: id } };
  if (place.where === 'body') {
    return { body: { ...creations[place.operation]?.body(context), ...objectWith(place.name, id) } };
  }
  const operation = operationRow(place.operation);
  const body = context.answers.getExample(operation);
  const file = operation.generation === 'v2' ? undefined : files?.[operation.generation];
  return {
    path: values,
    ...(operation.id === 'deleteWorkspaceFile' ? { query: { path: file ?? 'svc-check.txt' } } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

/** Returns the same kinds of resources with unknown ids. The file paths stay unchanged. */
function withUnknownIds({ seed }: ScenarioContext, { ids, files = {} }: OwnResources): OwnResources {
  const random = createRandom(seed + 7);
  const names = Object.keys(ids).filter((name): name is ResourceId => name in ids);
  const unknownResources = names.map(
    (name) => [name, name === 'v4Message' ? '2147483646' : randomUuid(random)] as const,
  );
  return { ids: Object.fromEntries(unknownResources), files };
}

/** One list as the other project sees it. */
export interface ForeignList {
  list: ListOperation;
  /** The first small pages; of a numbered list, also pages after the last page. A leak may occur on a single page. */
  small: Exchange[];
  /** Large pages up to the end of the list, at most `largePages`. */
  whole: Exchange[];
}

/** Size of a small page in items, and maximum number of small pages that are read. */
const [smallSize, smallPages] = [2, 4];
const largeSize = 100;
/** Maximum number of large pages that are read of one list. */
const largePages = 20;
/** Maximum number of reads of a whole list. Other clients of the other project may change the list during a read. */
const tries = 3;

/** Reads lists with the key of the other project: the first small pages, and large pages up to the end of the list. */
export async function readForeignLists(
  context: ScenarioContext,
  keys: readonly OperationKey[],
): Promise<ForeignList[]> {
  const lists: ForeignList[] = [];
  for (const list of listOperations.filter(({ operation }) => keys.includes(operation.key))) {
    if (context.operations.offers(list.operation.key)) lists.push(await readTwice(context, list));
  }
  return lists;
}

async function readTwice(context: ScenarioContext, list: ListOperation): Promise<ForeignList> {
  const small = await readPages(context, list, { size: smallSize, most: smallPages, beyond: true });
  let whole: Exchange[] = [];
  for (let tried = 0; tried < tries && (tried === 0 || !isCounted({ list, whole })); tried += 1) {
    whole = await readPages(context, list, { size: largeSize, most: largePages, beyond: false });
  }
  return { list, small, whole };
}

/**
 * Returns true if every page of a numbered list states the number of items in the list as the total. Also true for a
 * list without page numbers, for a page without a total, and if the list was not read to its end.
 */
export function isCounted({ list, whole }: Pick<ForeignList, 'list' | 'whole'>): boolean {
  if (list.paging.style !== 'number' || whole.length === largePages) return true;
  const { total } = list.paging;
  const count = whole.flatMap((page) => listItems(page, list.items)).length;
  return whole.every((page) => (memberAt(page.json, total) ?? count) === count);
}

interface Reading {
  size: number;
  most: number;
  /** True if pages after the end of the list are requested as well. */
  beyond: boolean;
}

function readPages(
  context: ScenarioContext,
  list: ListOperation,
  { size, most, beyond }: Reading,
): Promise<Exchange[]> {
  const { operation, paging, items } = list;
  const key = { other: context.otherApiKey ?? '' };
  const read = (query: Record<string, string | number>): Promise<Exchange> =>
    context.operations.call(operation.key, { query, key });
  if (paging.style === 'number') {
    return followPages(
      (page: number | undefined) => read({ [paging.page]: page ?? 1, [paging.size]: size }),
      (page, pages) => {
        const ended = !beyond && listItems(page, items).length < size;
        return ended || pages.length >= most ? undefined : pages.length + 1;
      },
    );
  }
  return followPages(
    (cursor: string | undefined) => read({ limit: size, ...(cursor === undefined ? {} : { cursor }) }),
    (page, pages) => (pages.length >= most ? undefined : readNextCursor(page)),
  );
}

/** Kinds of resources that a request can name by an id. */
export type ResourceId =
  | 'profile'
  | 'workspace'
  | 'browser'
  | 'v2Session'
  | 'v2Task'
  | 'v3Session'
  | 'v4Session'
  | 'v4Run'
  | 'v4Message';

/** Ids of the resources of a project. */
export type ResourceIds = Partial<Readonly<Record<ResourceId, string>>>;

const noOwnBeside = 'it is read only beside an id of the same project, and another project is refused that id';
const capability = 'what it opens is judged by its signed address, which needs no key on purpose';

/** Id parameters that the suite does not send with the other project's key, each with the reason. */
export const untried: Readonly<Record<string, string>> = {
  'v2.getOutputFile': `${noOwnBeside}; that a task of another project has no files is v2.getTask. ${capability}`,
  'v3.listMessages query after': noOwnBeside,
  'v3.listMessages query before': noOwnBeside,
  'v4.createMessage body attachedFileIds': 'an unknown file is no refusal, so it costs a run of the other project',
  'v4.createRun body attachedFileIds': 'an unknown file is no refusal, so it costs a run of the other project',
  'v4.listBrowserDownloads query cursor': 'only a browser that has downloaded several files hands out a cursor',
};

/**
 * Returns the resource kinds that an id parameter refers to, in the order of the path parameters. Undefined for a
 * parameter in `untried` and for `cursor`. Throws for a name without a resource kind.
 */
export function resourceIdsAt(place: IdPlace): ResourceId[] | undefined {
  if (untried[placeName(place)] !== undefined || place.name === 'cursor') return undefined;
  const { path, generation } = operationRow(place.operation);
  const names = place.where === 'path' ? pathParameters(path) : [place.name.split('.').at(-1) ?? ''];
  return names.map((name) => {
    if (path.startsWith('/files/browsers') || path.startsWith('/browsers/')) return 'browser';
    const found = named[name];
    if (found === undefined) throw new Error(`${placeName(place)}: no thing of a project is known by ${name}`);
    return typeof found === 'string' ? found : found[generation];
  });
}

const sessions = { v2: 'v2Session', v3: 'v3Session', v4: 'v4Session' } as const;

const named: Readonly<Record<string, ResourceId | typeof sessions>> = {
  profile_id: 'profile',
  profileId: 'profile',
  workspace_id: 'workspace',
  workspaceId: 'workspace',
  session_id: sessions,
  sessionId: sessions,
  agentSessionId: 'v4Session',
  task_id: 'v2Task',
  run_id: 'v4Run',
  message_id: 'v4Message',
};

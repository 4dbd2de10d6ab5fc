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
import { followPages, itemsOf, nextCursorOf } from '../../common/followed-pages.ts';

/** What another project has tried with an id of ours. */
export interface ForeignAttempt {
  place: IdPlace;
  /** The owner's answer to the same request, where it only looks. */
  own?: Exchange;
  /** The answer to the other project for an id that nobody has, or for what is its own where a cursor is tried. */
  unknown: Exchange;
  /** The answer to it for our id; undefined where an unknown id makes something too, so that nothing can be told. */
  exchange: Exchange | undefined;
}

/** Things of ours. */
export interface OwnResources {
  ids: ResourceIds;
  /** Path of a file in the workspace, as each generation shows it. */
  files?: Partial<Record<'v3' | 'v4', string>>;
}

/** Every place that names only things of ours that exist, what ends them last. */
function placesOf({ operations }: ScenarioContext, { ids }: OwnResources): IdPlace[] {
  const offered = idPlaces().filter(({ operation }) => operations.offers(operation));
  const named = offered.filter((place) => resourceIdsAt(place)?.every((name) => ids[name] !== undefined) === true);
  return named.toSorted((one, other) => rank(one) - rank(other));
}

/** True for what only looks. */
function isLook({ operation }: IdPlace): boolean {
  return operationRow(operation).method === 'GET';
}

/** Looks at everything as its owner. */
export async function ownLooks(context: ScenarioContext, resources: OwnResources): Promise<Exchange[]> {
  const looks: Exchange[] = [];
  for (const place of placesOf(context, resources)) {
    if (isLook(place) && place.where === 'path')
      looks.push(await context.operations.call(place.operation, callOf(context, place, resources)));
  }
  return looks;
}

/** Tries every operation with the key of the other project, each with ids that nobody has and then with ours. */
export async function tryForeign(context: ScenarioContext, resources: OwnResources): Promise<ForeignAttempt[]> {
  const key = { other: context.otherApiKey ?? '' };
  const breaker = createCircuitBreaker();
  const nobodys = strangers(context, resources);
  const attempts: ForeignAttempt[] = [];
  for (const place of placesOf(context, resources)) {
    const makes = place.where === 'body' ? creations[place.operation] : undefined;
    const ask = async (whose: OwnResources, asked: Call['key'] = key): Promise<Exchange> => {
      const call = { ...callOf(context, place, whose), key: asked ?? key };
      if (makes === undefined) return context.operations.call(place.operation, call);
      const exchange = await context.operations.probe(makes.kind, place.operation, call);
      breaker.note(exchange);
      return exchange;
    };
    if (makes !== undefined && breaker.on()) continue;
    const own = isLook(place) ? { own: await ask(resources, 'right') } : {};
    const unknown = await ask(nobodys);
    const telling = makes === undefined || (refused(unknown) && !breaker.on());
    attempts.push({ place, ...own, unknown, exchange: telling ? await ask(resources) : undefined });
  }
  return attempts;
}

// Looks first, then what names a thing, then what changes one; what ends it comes last, and the whole before its parts.
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
  /** The least that it needs besides the id. */
  body(context: ScenarioContext): JsonObject;
}

const creations: Partial<Record<OperationKey, Creation>> = {
  'v2.createSession': { kind: 'session', body: () => ({}) },
  'v2.createTask': { kind: 'task', body: () => taskProbe() },
  'v3.createSession': { kind: 'session', body: ({ target }) => sessionProbe(target) },
  'v4.createRun': { kind: 'run', body: ({ target }) => runProbe(target) },
  'v4.createBrowser': { kind: 'browser', body: () => ({}) },
};

function callOf(context: ScenarioContext, place: IdPlace, { ids, files }: OwnResources): Call {
  const values = (resourceIdsAt(place) ?? []).map((name) => ids[name] ?? '');
  const [id = ''] = values;
  if (place.where === 'query') return { query: { [place.name]: id } };
  if (place.where === 'body') {
    return { body: { ...creations[place.operation]?.body(context), ...objectWith(place.name, id) } };
  }
  const operation = operationRow(place.operation);
  const body = context.answers.exampleOf(operation);
  const file = operation.generation === 'v2' ? undefined : files?.[operation.generation];
  return {
    path: values,
    ...(operation.id === 'deleteWorkspaceFile' ? { query: { path: file ?? 'svc-check.txt' } } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

/** The same things of nobody. */
function strangers({ seed }: ScenarioContext, { ids, files = {} }: OwnResources): OwnResources {
  const random = createRandom(seed + 7);
  const names = Object.keys(ids).filter((name): name is ResourceId => name in ids);
  const nobodys = names.map((name) => [name, name === 'v4Message' ? '2147483646' : randomUuid(random)] as const);
  return { ids: Object.fromEntries(nobodys), files };
}

/** One list as another project is shown it. */
export interface ForeignList {
  list: ListOperation;
  /** Small pages from the start, more of them than there may be: what leaks may stand on one of them alone. */
  small: Exchange[];
  /** Large pages to the end. */
  whole: Exchange[];
}

/** Items of a small page, and small pages that are read. */
const [smallSize, smallPages] = [2, 4];
const largeSize = 100;
/** Large pages at most. */
const largePages = 20;
/** Whoever else uses the other project changes its lists. */
const tries = 3;

/** Reads lists with the key of the other project, to their end. */
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

/** True when the total of a list is the number of its items, or when it says none; also where not all was read. */
export function isCounted({ list, whole }: Pick<ForeignList, 'list' | 'whole'>): boolean {
  if (list.paging.style !== 'number' || whole.length === largePages) return true;
  const { total } = list.paging;
  const count = whole.flatMap((page) => itemsOf(page, list.items)).length;
  return whole.every((page) => memberAt(page.json, total) === count);
}

interface Reading {
  size: number;
  most: number;
  /** True when pages behind the last are asked for too. */
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
        const ended = !beyond && itemsOf(page, items).length < size;
        return ended || pages.length >= most ? undefined : pages.length + 1;
      },
    );
  }
  return followPages(
    (cursor: string | undefined) => read({ limit: size, ...(cursor === undefined ? {} : { cursor }) }),
    (page, pages) => (pages.length >= most ? undefined : nextCursorOf(page)),
  );
}

/** What a project can have that requests name by an id. */
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

/** Ids of what a project has. */
export type ResourceIds = Partial<Readonly<Record<ResourceId, string>>>;

const noOwnBeside = 'it is read beside an id of the same project alone, and another project is refused that one';
const capability = 'what it opens is judged by its signed address, which needs no key on purpose';

/** Places that another project does not try, each with its reason. */
export const untried: Readonly<Record<string, string>> = {
  'v2.getOutputFile': `${noOwnBeside}; that a task of another project has no files is v2.getTask. ${capability}`,
  'v3.listMessages query after': noOwnBeside,
  'v3.listMessages query before': noOwnBeside,
  'v4.createMessage body attachedFileIds': 'an unknown file is no refusal, so it costs a run of the other project',
  'v4.createRun body attachedFileIds': 'an unknown file is no refusal, so it costs a run of the other project',
  'v4.listBrowserDownloads query cursor': 'only a browser that has downloaded several files hands out a cursor',
};

/** Which things of a project a place names, in the order of its parameters; undefined where nobody tries. */
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

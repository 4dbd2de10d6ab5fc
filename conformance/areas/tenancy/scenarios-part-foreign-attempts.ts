import { type Exchange, createBrake, refused } from '../../core/exchange.ts';
import { type IdPlace, idPlaces } from '../../core/id-places.ts';
import { type JsonObject, objectWith } from '../../core/json.ts';
import type { ThingKind } from '../../ledger/ledger.ts';
import type { Call } from '../../ledger/operation-api.ts';
import { type OperationKey, operationRow } from '../../core/operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import type { Drive } from '../../core/scenario.ts';
import { type Belonging, type Belongings, belongingsAt } from './scenarios-part-belongings.ts';
import { runProbe, sessionProbe, taskProbe } from '../common/probe-bodies.ts';

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
export interface OwnThings {
  ids: Belongings;
  /** Path of a file in the workspace, as each generation shows it. */
  files?: Partial<Record<'v3' | 'v4', string>>;
}

/** Every place that names only things of ours that exist, what ends them last. */
function placesOf({ operations }: Drive, { ids }: OwnThings): IdPlace[] {
  const offered = idPlaces().filter(({ operation }) => operations.offers(operation));
  const named = offered.filter((place) => belongingsAt(place)?.every((name) => ids[name] !== undefined) === true);
  return named.toSorted((one, other) => rank(one) - rank(other));
}

/** True for what only looks. */
function isLook({ operation }: IdPlace): boolean {
  return operationRow(operation).method === 'GET';
}

/** Looks at everything as its owner. */
export async function ownLooks(drive: Drive, things: OwnThings): Promise<Exchange[]> {
  const looks: Exchange[] = [];
  for (const place of placesOf(drive, things)) {
    if (isLook(place) && place.where === 'path')
      looks.push(await drive.operations.call(place.operation, callOf(drive, place, things)));
  }
  return looks;
}

/** Tries every operation with the key of the other project, each with ids that nobody has and then with ours. */
export async function tryForeign(drive: Drive, things: OwnThings): Promise<ForeignAttempt[]> {
  const key = { other: drive.otherApiKey ?? '' };
  const brake = createBrake();
  const nobodys = strangers(drive, things);
  const attempts: ForeignAttempt[] = [];
  for (const place of placesOf(drive, things)) {
    const makes = place.where === 'body' ? creations[place.operation] : undefined;
    const ask = async (whose: OwnThings, asked: Call['key'] = key): Promise<Exchange> => {
      const call = { ...callOf(drive, place, whose), key: asked ?? key };
      if (makes === undefined) return drive.operations.call(place.operation, call);
      const exchange = await drive.operations.probe(makes.kind, place.operation, call);
      brake.note(exchange);
      return exchange;
    };
    if (makes !== undefined && brake.on()) continue;
    const own = isLook(place) ? { own: await ask(things, 'right') } : {};
    const unknown = await ask(nobodys);
    const telling = makes === undefined || (refused(unknown) && !brake.on());
    attempts.push({ place, ...own, unknown, exchange: telling ? await ask(things) : undefined });
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
  kind: ThingKind;
  /** The least that it needs besides the id. */
  body(drive: Drive): JsonObject;
}

const creations: Partial<Record<OperationKey, Creation>> = {
  'v2.createSession': { kind: 'session', body: () => ({}) },
  'v2.createTask': { kind: 'task', body: () => taskProbe() },
  'v3.createSession': { kind: 'session', body: ({ target }) => sessionProbe(target) },
  'v4.createRun': { kind: 'run', body: ({ target }) => runProbe(target) },
  'v4.createBrowser': { kind: 'browser', body: () => ({}) },
};

function callOf(drive: Drive, place: IdPlace, { ids, files }: OwnThings): Call {
  const values = (belongingsAt(place) ?? []).map((name) => ids[name] ?? '');
  const [id = ''] = values;
  if (place.where === 'query') return { query: { [place.name]: id } };
  if (place.where === 'body') {
    return { body: { ...creations[place.operation]?.body(drive), ...objectWith(place.name, id) } };
  }
  const operation = operationRow(place.operation);
  const body = drive.answers.exampleOf(operation);
  const file = operation.generation === 'v2' ? undefined : files?.[operation.generation];
  return {
    path: values,
    ...(operation.id === 'deleteWorkspaceFile' ? { query: { path: file ?? 'svc-check.txt' } } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

/** The same things of nobody. */
function strangers({ seed }: Drive, { ids, files = {} }: OwnThings): OwnThings {
  const random = createRandom(seed + 7);
  const names = Object.keys(ids).filter((name): name is Belonging => name in ids);
  const nobodys = names.map((name) => [name, name === 'v4Message' ? '2147483646' : randomUuid(random)] as const);
  return { ids: Object.fromEntries(nobodys), files };
}

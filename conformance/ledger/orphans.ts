import type { Send } from '../core/request.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonObject, type JsonValue, identifier, isJsonObject, memberAt, toText } from '../core/json.ts';
import type { Ledger, LedgerEntry, ResourceKind } from '../core/ledger.ts';
import { operationRow, offeredEndpoint } from '../core/operations.ts';
import { NotRun } from '../core/outcome.ts';
import { pathWithId } from '../core/path-with-id.ts';
import { statusReaders } from './status-readers.ts';
import { type ResourceList, resourceLists } from './resource-lists.ts';
import type { Target } from '../core/target.ts';

/** Options of the search for orphaned resources. */
export interface OrphanSearch {
  target: Target;
  ledger: Ledger;
  send: Send;
  /** Tag of the run. The tasks of the run contain it. */
  stamp: string;
}

/** Live resources by kind that may belong to a creation whose response was lost. */
export type OrphanCandidates = ReadonlyMap<ResourceKind, string[]>;

/**
 * If listed sessions have no ledger entry, the messages of at most this number of them are read. The messages show
 * whether a session belongs to the run.
 */
const looksMax = 20;

/**
 * Lists the resources of each kind that the run has created, and corrects the ledger. An ended entry becomes live again
 * if its resource is listed with a status that is not terminal. A listed resource without an entry belongs to the run
 * if it has the run's tag or a requested name: it is assigned to an entry whose response was lost, or gets a new entry.
 * An entry with a lost response becomes refused if the list is complete and no listed resource can belong to it. A list
 * that the target does not show, for example because of a rate limit, leaves its entries unchanged. Changes nothing on
 * the target. Returns the ids of the other live resources that may belong to an entry with a lost response.
 */
export async function findOrphans(input: OrphanSearch): Promise<OrphanCandidates> {
  const candidates = new Map<ResourceKind, string[]>();
  for (const list of resourceLists(input.target)) {
    const others = await searchIfShown(input, list);
    if (others.length > 0) candidates.set(list.kind, [...(candidates.get(list.kind) ?? []), ...others]);
  }
  return candidates;
}

async function searchIfShown(input: OrphanSearch, list: ResourceList): Promise<string[]> {
  try {
    return await searchList(input, list);
  } catch (error) {
    if (error instanceof NotRun) return [];
    throw error;
  }
}

/** Searches one list. Returns the ids of the other live resources of {@link findOrphans}. */
async function searchList(input: OrphanSearch, list: ResourceList): Promise<string[]> {
  const mine = input.ledger.entries().filter((entry) => isInList(entry, list) && entry.state !== 'refused');
  const listed = mine.length === 0 ? undefined : await listItems(input, list);
  if (listed === undefined) return [];
  const unknown: JsonObject[] = [];
  for (const item of listed.items) if (!reopen(input, list, item)) unknown.push(item);
  const others = await claim(input, list, unknown);
  if (listed.isComplete) for (const entry of mine.filter(isLost)) settleLost(input.ledger, entry, others);
  return others;
}

function isInList(entry: LedgerEntry, { kind, generation }: ResourceList): boolean {
  return entry.kind === kind && entry.generation === generation;
}

function isLost({ state, id }: LedgerEntry): boolean {
  return id === undefined && (state === 'requested' || state === 'live');
}

// No listed resource matches: it was not created, or it has ended.
function settleLost(ledger: Ledger, entry: LedgerEntry, others: readonly string[]): void {
  if (entry.id === undefined && others.length === 0) ledger.update(entry, { state: 'refused' });
}

/** The first page of a list. */
interface Listed {
  items: JsonObject[];
  /** False if there may be further pages. */
  isComplete: boolean;
}

/** Number of items that a page is asked to have, where the list has a page size. */
const pageMax = 100;

async function listItems({ send }: OrphanSearch, list: ResourceList): Promise<Listed | undefined> {
  const { generation, operation, place, pageSize } = list;
  const base = {
    generation,
    operation,
    method: place.method,
    ...(place.body === undefined ? {} : { body: place.body }),
  };
  const paths = pageSize === undefined ? [place.path] : [`${place.path}?${pageSize}=${pageMax}`, place.path];
  for (const path of paths) {
    const exchange = await send({ ...base, path });
    const items = succeeded(exchange) ? memberAt(exchange.json, place.items) : undefined;
    if (Array.isArray(items))
      return { items: items.filter(isJsonObject), isComplete: isLastPage(exchange.json, items) };
  }
  return undefined;
}

function isLastPage(page: JsonValue | undefined, { length }: readonly unknown[]): boolean {
  const totals = ['total', 'totalItems'].map((name) => memberAt(page, name));
  const isLarger = totals.some((total) => typeof total === 'number' && total > length);
  return length < pageMax && memberAt(page, 'hasMore') !== true && !isLarger;
}

/**
 * Returns true if the ledger has an entry for a listed item. If this entry is ended, but the item shows a status that
 * is not terminal, marks the entry as live again.
 */
function reopen({ ledger, target }: OrphanSearch, { kind }: ResourceList, item: JsonObject): boolean {
  const entry = ledger.find(kind, identifier(item['id']) ?? '');
  if (entry === undefined) return false;
  if (entry.state === 'ended' && lives(target, kind, item)) ledger.update(entry, { state: 'live' });
  return true;
}

// Requires a status word of a live resource; a missing status does not count.
function lives(target: Target, kind: ResourceKind, item: JsonObject): boolean {
  const reader = statusReaders[kind](target);
  const status = reader === null ? undefined : memberAt(item, reader.statusIn);
  return typeof status === 'string' && reader?.ended.includes(status) === false;
}

/**
 * Adds the listed resources that belong to the run to the ledger. Returns the ids of the other live resources that a
 * creation with a lost response may have created.
 */
async function claim(input: OrphanSearch, list: ResourceList, unknown: readonly JsonObject[]): Promise<string[]> {
  const others: string[] = [];
  let looks = 0;
  for (const item of unknown) {
    const id = identifier(item['id']);
    if (id === undefined) continue;
    const alive = list.stays || lives(input.target, list.kind, item);
    if (isOurs(input, list, item) || (alive && looks++ < looksMax && (await saysSo(input, list, id)))) {
      book(input.ledger, { list, id, alive });
    } else if (alive && !isNamed(input.ledger, list)) others.push(id);
  }
  return others;
}

function isOurs({ stamp, ledger }: OrphanSearch, list: ResourceList, item: JsonObject): boolean {
  const text = JSON.stringify(item);
  if (text.includes(stamp)) return true;
  const names = ledger.entries().filter((entry) => isInList(entry, list) && isLost(entry));
  return names.some(({ name = '' }) => name.startsWith('svc-check ') && text.includes(JSON.stringify(name)));
}

// If every lost entry has a unique name, an item without such a name cannot belong to one of them.
function isNamed(ledger: Ledger, list: ResourceList): boolean {
  const lost = ledger.entries().filter((entry) => isInList(entry, list) && isLost(entry));
  return list.stays && lost.every(({ name = '' }) => name.startsWith('svc-check '));
}

// A V3 session shows its task only in its messages.
async function saysSo(
  { target, send, stamp }: OrphanSearch,
  { kind, generation }: ResourceList,
  id: string,
): Promise<boolean> {
  const place = kind === 'session' && generation === 'v3' ? offeredEndpoint(target, 'v3.listMessages') : null;
  if (place === null) return false;
  const exchange: Exchange = await send({
    generation,
    operation: operationRow('v3.listMessages').id,
    method: place.method,
    path: pathWithId(place.path, id),
  });
  return succeeded(exchange) && toText(exchange.json).includes(stamp);
}

function book(ledger: Ledger, { list, id, alive }: { list: ResourceList; id: string; alive: boolean }): void {
  const { kind, generation, operation } = list;
  const lost = ledger.entries().find((entry) => isInList(entry, list) && isLost(entry));
  const entry = lost ?? ledger.request({ kind, generation, createdBy: operation });
  ledger.update(entry, { id, state: alive ? 'live' : 'ended' });
}

import type { Send } from '../core/request.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, textOf } from '../core/json.ts';
import type { Ledger, LedgerEntry, ResourceKind } from '../core/ledger.ts';
import { operationRow, placeOf } from '../core/operations.ts';
import { pathWithId } from '../core/path-with-id.ts';
import { statusReaders } from './status-readers.ts';
import { type ResourceList, resourceLists } from './resource-lists.ts';
import type { Target } from '../core/target.ts';

/** Options of the search for orphaned resources. */
export interface OrphanSearch {
  target: Target;
  ledger: Ledger;
  send: Send;
  /** Word of the run, which its goals carry. */
  stamp: string;
}

/** Live resources by kind that could be the result of a creation whose answer was lost. */
export type OrphanCandidates = ReadonlyMap<ResourceKind, string[]>;

/** Unknown things whose messages are read at most, to see whose they are. */
const looksMax = 20;

/**
 * Lists what the target has and corrects the ledger by it: what is booked as ended and lives is live again, and a thing whose
 * answer was lost gets its id when it carries the word of the run or the very name that was sent. Nothing else is touched.
 */
export async function findOrphans(input: OrphanSearch): Promise<OrphanCandidates> {
  const candidates = new Map<ResourceKind, string[]>();
  for (const list of resourceLists(input.target)) {
    const mine = input.ledger.entries().filter((entry) => isOf(entry, list) && entry.state !== 'refused');
    if (mine.length === 0) continue;
    const items = await itemsOf(input, list);
    if (items === undefined) continue;
    const unknown: JsonObject[] = [];
    for (const item of items) if (!reopen(input, list, item)) unknown.push(item);
    const others = await claim(input, list, unknown);
    for (const entry of mine.filter(isLost)) settleLost(input.ledger, entry, others);
    if (others.length > 0) candidates.set(list.kind, [...(candidates.get(list.kind) ?? []), ...others]);
  }
  return candidates;
}

function isOf(entry: LedgerEntry, { kind, generation }: ResourceList): boolean {
  return entry.kind === kind && entry.generation === generation;
}

function isLost({ state, id }: LedgerEntry): boolean {
  return id === undefined && (state === 'requested' || state === 'live');
}

// The list shows none that could be it: it was never made, or it has ended.
function settleLost(ledger: Ledger, entry: LedgerEntry, others: readonly string[]): void {
  if (entry.id === undefined && others.length === 0) ledger.update(entry, { state: 'refused' });
}

async function itemsOf({ send }: OrphanSearch, list: ResourceList): Promise<JsonObject[] | undefined> {
  const { generation, operation, place, pageSize } = list;
  const base = {
    generation,
    operation,
    method: place.method,
    ...(place.body === undefined ? {} : { body: place.body }),
  };
  const paths = pageSize === undefined ? [place.path] : [`${place.path}?${pageSize}=100`, place.path];
  for (const path of paths) {
    const exchange = await send({ ...base, path });
    const items = succeeded(exchange) ? memberAt(exchange.json, place.items) : undefined;
    if (Array.isArray(items)) return items.filter(isJsonObject);
  }
  return undefined;
}

/** True when the ledger knows an item; one that it takes for ended, and that lives, is live again. */
function reopen({ ledger, target }: OrphanSearch, { kind }: ResourceList, item: JsonObject): boolean {
  const entry = ledger.find(kind, identifier(item['id']) ?? '');
  if (entry === undefined) return false;
  if (entry.state === 'ended' && lives(target, kind, item)) ledger.update(entry, { state: 'live' });
  return true;
}

// Only a word that says that it works, never one that says nothing.
function lives(target: Target, kind: ResourceKind, item: JsonObject): boolean {
  const reader = statusReaders[kind](target);
  const status = reader === null ? undefined : memberAt(item, reader.statusIn);
  return typeof status === 'string' && reader?.ended.includes(status) === false;
}

/** Gives what is ours to the ledger; answers the ids of what lives and could be anybody's. */
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
  const names = ledger.entries().filter((entry) => isOf(entry, list) && isLost(entry));
  return names.some(({ name = '' }) => name.startsWith('svc-check ') && text.includes(JSON.stringify(name)));
}

// A name of ours that no item has is not there, whatever else lives.
function isNamed(ledger: Ledger, list: ResourceList): boolean {
  const lost = ledger.entries().filter((entry) => isOf(entry, list) && isLost(entry));
  return list.stays && lost.every(({ name = '' }) => name.startsWith('svc-check '));
}

// A V3 session shows its goal only among its messages.
async function saysSo(
  { target, send, stamp }: OrphanSearch,
  { kind, generation }: ResourceList,
  id: string,
): Promise<boolean> {
  const place = kind === 'session' && generation === 'v3' ? placeOf(target, 'v3.listMessages') : null;
  if (place === null) return false;
  const exchange: Exchange = await send({
    generation,
    operation: operationRow('v3.listMessages').id,
    method: place.method,
    path: pathWithId(place.path, id),
  });
  return succeeded(exchange) && textOf(exchange.json).includes(stamp);
}

function book(ledger: Ledger, { list, id, alive }: { list: ResourceList; id: string; alive: boolean }): void {
  const { kind, generation, operation } = list;
  const lost = ledger.entries().find((entry) => isOf(entry, list) && isLost(entry));
  const entry = lost ?? ledger.request({ kind, generation, createdBy: operation });
  ledger.update(entry, { id, state: alive ? 'live' : 'ended' });
}

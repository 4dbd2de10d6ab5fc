/** Judges lists, events and files by the traffic of a client that does its own work. Called by observed.ts. */
import { isJsonObject, toText } from '../../core/json.ts';
import type { ClientExchange, TrialRun } from '../recording.ts';
import { isTerminal } from '../states.ts';
import { type JudgeTrial, answeredObject, broken, brokenByFirst, kept, ofKind, open } from './judged.ts';
import { hasEndEvent, readPath } from './reading.ts';

/**
 * Judges CLIENT-LIST-03 in recorded traffic: cursors must be sent unchanged. A cursor in the first list request is not
 * judged, because its page was not recorded.
 */
export const returnsObservedCursors: JudgeTrial = (run) => {
  const lists = ofKind(run, 'list').filter(({ status }) => status === 200);
  const later = lists.filter(
    ({ index, target }) => target.includes('cursor=') && lists.some((one) => one.index < index),
  );
  if (later.length === 0) return open('the client sent no cursor');
  return brokenByFirst(later, ({ index, target }) => {
    const cursor = parameter(target, 'cursor');
    const known = lists.filter((one) => one.index < index).map((one) => answeredObject(one)?.['nextCursor']);
    return known.includes(cursor) ? undefined : `found the cursor ${JSON.stringify(cursor)}, which no answer has`;
  });
};

function parameter(target: string, name: string): string | null {
  return new URL(target, 'http://service').searchParams.get(name);
}

/** Returns the pages of events that the client read, in one list per run, in the order of reading. */
function eventPages(run: TrialRun): ClientExchange[][] {
  const pages = ofKind(run, 'events').filter(({ status }) => status === 200);
  return [...Map.groupBy(pages, ({ operation }) => operation?.target).values()];
}

/**
 * Judges CLIENT-EVENT-01 in recorded traffic: each read of events must begin at the start, or at a cursor that an
 * earlier page returned.
 */
export const readsObservedEvents: JudgeTrial = (run) => {
  const lists = eventPages(run).filter(({ length }) => length > 1);
  if (lists.length === 0) return open('the client read one page of events at most');
  const wrong = lists.flatMap((pages) => pages.slice(1).filter((page, at) => !isNamed(page, pages.slice(0, at + 1))));
  const [first] = wrong;
  if (first === undefined) return kept;
  return broken(`found ${first.target}, expected after= the cursor of an earlier page`, first);
};

function isNamed({ target }: ClientExchange, earlier: readonly ClientExchange[]): boolean {
  const after = parameter(target, 'after') ?? '0';
  return after === '0' || earlier.some((page) => toText(answeredObject(page)?.['nextAfter']) === after);
}

/** Judges CLIENT-EVENT-02 in recorded traffic: the client must continue to read after a page without events. */
export const waitsForObservedEvents: JudgeTrial = (run) => {
  const lists = eventPages(run).filter((pages) => pages.some((page) => isEmptyPage(page)));
  if (lists.length === 0) return open('the client saw no page without events');
  const left = lists.find(
    (pages) => isEmptyPage(pages.at(-1)) && !pages.some(hasEndEvent) && !isKnownEnded(run, pages[0]),
  );
  return left === undefined ? kept : broken('found no read of events after a page without any', left.at(-1));
};

function isEmptyPage(page: ClientExchange | undefined): boolean {
  const events = page === undefined ? undefined : answeredObject(page)?.['events'];
  return Array.isArray(events) && events.length === 0;
}

/** Returns true if the client stopped the run, or read its terminal state in an answer to a poll. */
function isKnownEnded({ exchanges }: TrialRun, page: ClientExchange | undefined): boolean {
  const id = page?.operation?.target;
  const own = exchanges.filter(({ operation }) => operation?.target === id);
  return own.some((exchange) => exchange.kind === 'stop' || (exchange.kind === 'poll' && isTerminal(exchange)));
}

/** Judges CLIENT-FILE-01 in recorded traffic: a file must be sent with PUT to the returned upload URL. */
export const uploadsWithPut: JudgeTrial = (run) => {
  const addresses = ofKind(run, 'announce').flatMap((exchange) => {
    const files = answeredObject(exchange)?.['files'];
    return Array.isArray(files) ? files.filter(isJsonObject).map((file) => readPath(toText(file['uploadUrl']))) : [];
  });
  const uploads = run.exchanges.filter(({ host, method }) => host === 'elsewhere' && method !== 'GET');
  if (uploads.length === 0) return open('the client sent no file through this proxy');
  return brokenByFirst(uploads, ({ method, target }) => {
    if (!addresses.includes(target)) return 'found an upload to an address that no announcement has';
    return method === 'PUT' ? undefined : `found ${method} to an upload address, expected PUT`;
  });
};

/**
 * Judges CLIENT-FILE-05 in recorded traffic: the client must not request an expired URL again without a GET request to
 * the service in between.
 */
export const renewsObservedAddresses: JudgeTrial = (run) => {
  const expired = run.exchanges.filter(({ host, status }) => host === 'elsewhere' && status === 403);
  if (expired.length === 0) return open('no signed address had expired');
  const again = expired.flatMap(({ index, target }) => {
    const later = run.exchanges.filter((one) => one.index > index);
    const next = later.findIndex((one) => one.host === 'elsewhere' && one.target === target);
    const isBlind =
      next !== -1 && !later.slice(0, next).some(({ host, method }) => host === 'service' && method === 'GET');
    return isBlind ? [later[next]] : [];
  });
  return again.length === 0
    ? kept
    : broken('found an expired address again, without a new read of its record', again[0]);
};

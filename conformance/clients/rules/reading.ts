import { type JsonObject, type JsonValue, isJsonObject, toText } from '../../core/json.ts';
import type { ClientExchange, TrialRun } from '../recording.ts';
import {
  type JudgeTrial,
  type Judged,
  answeredObject,
  broken,
  brokenByFirst,
  endText,
  isFinished,
  kept,
  ofKind,
  open,
  printedObject,
  sentJson,
} from './judged.ts';

/** Judges CLIENT-LIST-01: the program must read all pages of a list, and print the id of every item. */
export const readsAllPages: JudgeTrial = (run) => {
  if (ofKind(run, 'list').length === 0) return open('the program read no list');
  return missingItem(run) ?? kept;
};

/** Judges CLIENT-LIST-02: the program must print every item once, even if items are added while it reads. */
export const readsMovingList: JudgeTrial = (run) => {
  const lists = ofKind(run, 'list');
  if (lists.length === 0) return open('the program read no list');
  const missing = missingItem(run);
  if (missing !== undefined) return missing;
  const ids = shownIds(run);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  return twice === undefined ? kept : broken(`found ${twice} twice in its output, expected it once`, lists.at(-1));
};

/** Judges CLIENT-LIST-03: the program must send cursors unchanged. */
export const returnsCursors: JudgeTrial = (run) => {
  const lists = ofKind(run, 'list');
  const sent = lists.filter(({ target }) => target.includes('cursor='));
  if (sent.length === 0) return open('the program sent no cursor');
  const known = new Set(lists.map((list) => answeredObject(list)?.['nextCursor']));
  return brokenByFirst(sent, ({ target }) => {
    const cursor = new URL(target, 'http://service').searchParams.get('cursor');
    return known.has(cursor) ? undefined : `found the cursor ${JSON.stringify(cursor)}, which no answer has`;
  });
};

function shownIds(run: TrialRun): string[] {
  const ids = printedObject(run)?.['ids'];
  return Array.isArray(ids) ? ids.map(String) : [];
}

function missingItem(run: TrialRun): Judged | undefined {
  const last = ofKind(run, 'list').at(-1);
  if (!isFinished(run)) return broken(`found no result: ${endText(run)}`, last);
  const ids = new Set(shownIds(run));
  const missing = run.planted.ids.filter((id) => !ids.has(id));
  if (missing.length === 0) return undefined;
  return broken(
    `found ${ids.size} ids in its output, and ${missing.length} of ${run.planted.ids.length} are missing`,
    last,
  );
}

/**
 * Judges CLIENT-EVENT-01: the program must read each page with the cursor of the page before, and print every event
 * once, in order.
 */
export const readsEvents: JudgeTrial = (run) => {
  const pages = ofKind(run, 'events');
  if (pages.length < 2) return open('the program read one page of events at most');
  const strayed = brokenByFirst(pages.slice(1), (page) => wrongCursor(page, pages.slice(0, pages.indexOf(page))));
  if (strayed.verdict === 'broken') return strayed;
  if (!isFinished(run)) return broken(`found no result: ${endText(run)}`, pages.at(-1));
  if (hasStoppedEarly(run)) return open('the program did not read until the end of the run');
  const [shown, sent] = [listEventIds(printedObject(run)?.['events']), answeredIds(pages)];
  if (shown.join() === sent.join()) return kept;
  return broken(`found the events ${shown.join(' ')} in its output, expected ${sent.join(' ')}`, pages.at(-1));
};

function wrongCursor({ target }: ClientExchange, earlier: readonly ClientExchange[]): string | undefined {
  const named = earlier.map((page) => answeredObject(page)?.['nextAfter']).filter((after) => typeof after === 'number');
  const expected = String(named.at(-1) ?? 0);
  const found = new URL(target, 'http://service').searchParams.get('after') ?? '0';
  return found === expected ? undefined : `found after=${found}, expected ${expected}, which the last page named`;
}

/** Judges CLIENT-EVENT-02: the program must continue to read after a page without events. */
export const waitsForEvents: JudgeTrial = (run) => {
  const empty = run.exchanges.find(({ fault }) => fault?.do === 'nothingNew');
  if (empty === undefined) return open('the program read no events');
  if (run.end.killed !== undefined) return open(`the program did not end: ${endText(run)}`);
  return hasStoppedEarly(run)
    ? broken(`found no event of the end after a page without events: ${endText(run)}`, empty)
    : kept;
};

function hasStoppedEarly(run: TrialRun): boolean {
  return !ofKind(run, 'events').some(hasEndEvent);
}

/** Returns whether a page of events contains an event that ends the run. */
export function hasEndEvent({ answer }: ClientExchange): boolean {
  return /"run\.(?:completed|failed|cancelled|dispatch_failed)"/.test(answer.toString());
}

function answeredIds(pages: readonly ClientExchange[]): string[] {
  const ids = new Set(pages.flatMap((page) => listEventIds(answeredObject(page)?.['events'])));
  return [...ids].toSorted((left, right) => Number(left) - Number(right));
}

function listEventIds(events: JsonValue | undefined): string[] {
  return Array.isArray(events) ? events.filter(isJsonObject).map((event) => toText(event['id'])) : [];
}

/** Judges CLIENT-FILE-01: the program must request an upload URL and then PUT the file to it. */
export const uploadsInOrder: JudgeTrial = (run) => {
  const files = inputFiles(run);
  const [announced] = ofKind(run, 'announce');
  const uploads = ofKind(run, 'upload');
  if (announced === undefined)
    return uploads[0] === undefined
      ? open(`the program uploaded nothing: ${endText(run)}`)
      : broken('found an upload that was not announced', uploads[0]);
  const wrong = uploads.find(({ method }) => method !== 'PUT');
  if (wrong !== undefined) return broken(`found ${wrong.method} to an upload address, expected PUT`, wrong);
  const early = ofKind(run, 'upload', 'announce').find(
    ({ kind, index }) => kind === 'upload' && index < announced.index,
  );
  if (early !== undefined) return broken('found an upload before it was announced', early);
  if ([announced, ...uploads].some(({ status }) => status >= 300)) return open('the service refused the upload');
  if (uploads.length >= files.length) return kept;
  return broken(
    `found ${uploads.length} of ${files.length} announced files uploaded: ${endText(run)}`,
    uploads.at(-1) ?? announced,
  );
};

/** Judges CLIENT-FILE-02: content type and length of an upload must equal the announced content type and size. */
export const uploadsAsAnnounced: JudgeTrial = (run) => {
  const announcements = ofKind(run, 'announce').flatMap((exchange) => announcedFiles(exchange));
  const puts = ofKind(run, 'upload').filter(({ method }) => method === 'PUT');
  if (puts.length === 0 || announcements.length === 0) return open('the program uploaded nothing');
  return brokenByFirst(puts, ({ target, headers, body }) => {
    const announced = announcements.find(({ address }) => readPath(address) === target);
    if (announced === undefined) return undefined;
    const { contentType, size } = announced;
    if (headers['content-type'] !== contentType)
      return `found Content-Type ${headers['content-type'] ?? 'absent'}, expected the announced ${contentType}`;
    return body.length === size ? undefined : `found ${body.length} bytes, expected the announced ${size}`;
  });
};

interface AnnouncedFile {
  readonly address: string;
  readonly contentType: string;
  readonly size: number;
}

function announcedFiles(exchange: ClientExchange): AnnouncedFile[] {
  const [sent, answered] = [sentJson(exchange), answeredObject(exchange)];
  const asked = isJsonObject(sent) && Array.isArray(sent['files']) ? sent['files'].filter(isJsonObject) : [];
  const given = Array.isArray(answered?.['files']) ? answered['files'].filter(isJsonObject) : [];
  return given.map((file, at) => ({
    address: toText(file['uploadUrl']),
    contentType: toText(asked[at]?.['contentType'] ?? 'application/octet-stream'),
    size: Number(asked[at]?.['size']),
  }));
}

/** Returns path and query of a URL. */
export function readPath(address: string): string {
  return address.replace(/^https?:\/\/[^/]*/, '');
}

/** Judges CLIENT-FILE-03: the bytes of uploads and downloads must arrive unchanged. */
export const keepsBytes: JudgeTrial = (run) => {
  const files = inputFiles(run);
  const puts = ofKind(run, 'upload').filter(({ method, status }) => method === 'PUT' && status < 300);
  if (puts.length < files.length) return open('the program did not upload its files');
  const changed = puts.find((put) => !files.some(({ bytes }) => bytes.equals(put.body)));
  if (changed !== undefined) return broken('found other bytes in an upload than were given', changed);
  const downloads = ofKind(run, 'download').filter(({ status }) => status === 200);
  if (downloads.length < files.length) return open('the program did not download its files');
  if (!isFinished(run)) return open(`the program did not finish: ${endText(run)}`);
  const shown = printedObject(run)?.['files'];
  const texts = Array.isArray(shown) ? shown.filter(isJsonObject).map((file) => toText(file['base64'])) : [];
  const lost = files.find(({ bytes }) => !texts.some((text) => Buffer.from(text, 'base64').equals(bytes)));
  return lost === undefined ? kept : broken('found other bytes in its output than were uploaded', downloads.at(-1));
};

function inputFiles({ input }: TrialRun): { readonly bytes: Buffer }[] {
  const files = input['files'];
  return (Array.isArray(files) ? files.filter(isJsonObject) : []).map((file: JsonObject) => ({
    bytes: Buffer.from(toText(file['base64']), 'base64'),
  }));
}

/** Judges CLIENT-FILE-04: the program must use signed URLs unchanged. */
export const usesAddressesAsGiven: JudgeTrial = (run) => {
  const used = run.exchanges.filter(({ host }) => host === 'elsewhere');
  if (used.length === 0) return open('the program used no signed address');
  const answers = run.exchanges.map(({ answer }) => answer.toString()).join('\n');
  return brokenByFirst(used, ({ target }) =>
    answers.includes(`${JSON.stringify(target).slice(1, -1)}"`)
      ? undefined
      : `found ${target}, which no answer has in this spelling`,
  );
};

/** Judges CLIENT-FILE-05: after a URL expires, the program must read the list of files again, and finish. */
export const renewsAddresses: JudgeTrial = (run) => {
  const expired = run.exchanges.find(({ fault }) => fault?.as === 'expired');
  if (expired === undefined) return open('the program downloaded nothing');
  const later = run.exchanges.filter(({ index }) => index > expired.index);
  if (!later.some(({ kind }) => kind === 'listFiles'))
    return broken(`found no new read of the files after an expired address: ${endText(run)}`, expired);
  return isFinished(run)
    ? kept
    : broken(`found no result after an expired address: ${endText(run)}`, later.at(-1) ?? expired);
};

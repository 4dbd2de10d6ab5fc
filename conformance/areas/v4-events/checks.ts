import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, succeeded, isCapacity } from '../../core/exchange.ts';
import { identifier, isJsonObject, type JsonValue, memberAt, toText, canonicalText, isSame } from '../../core/json.ts';
import type { EventRead } from '../../common/event-reads.ts';
import { oneShotRun, uninterruptibleReason } from '../v4-runs/scenarios.ts';
import { isOver } from '../../common/observed-job.ts';
import type { OneShotJob } from '../../common/one-shot-job.ts';
import { show } from '../../core/text.ts';
import { findRepeated, listItems, listAllItems } from '../../common/followed-pages.ts';
import type { EventPages } from '../v4-sessions/scenarios.ts';
import { viewed } from '../v4-runs/checks-views.ts';
import { withoutAddresses } from '../../common/signed-urls.ts';
import { copiesNoEvents } from './checks-copied.ts';
import { judged, listIds } from '../../common/judgement.ts';

/**
 * Checks of the events of a V4 run: their order, also when they are read in parts; no events of other runs; no change of
 * events that an earlier read has shown.
 */
export const runEventChecks: readonly Check[] = [
  check('EVT-01', { needs: [oneShotRun] }, async (t) => {
    for (const { reads, ended } of await collectReads(t)) {
      assertServed(t, reads);
      for (const read of reads) polled(t, read);
      // A complete read shows the order of the service.
      const last = reads.findLast(({ from }) => from === 'start') ?? reads.at(-1);
      if (last === undefined) continue;
      if (ended)
        t.expect(last.events.length > 0, {
          exchange: last.exchange,
          message: 'a run has ended without any event; expected events',
        });
      ordered(t, last);
    }
    ownEvents(t, await collectRuns(t), await listedRuns(t));
    copiesNoEvents(t);
  }),
  check('EVT-03', { needs: [oneShotRun] }, async (t) => {
    for (const { reads } of await collectReads(t)) {
      assertServed(t, reads);
      grows(
        t,
        reads.filter(({ served, isCut }) => served && !isCut),
      );
    }
  }),
  check('EVT-04', { needs: [oneShotRun] }, async (t) => {
    if (t.target.v4?.events === null) t.notTestable('the target file names no operation that reads events (v4.events)');
    inParts(t, await t.recording(oneShotRun));
  }),
];

/**
 * Judges that each part of a list shows its events in the order of the whole list. Also judges that the joined parts
 * are the first events of the whole list without a gap. The second rule is not judged if the lists begin with different
 * events.
 */
function inParts(t: CheckContext, { events, eventParts = [] }: OneShotJob): void {
  const whole = events.findLast(({ from, served, isCut }) => from === 'start' && served && !isCut);
  if (whole === undefined || eventParts.length === 0) return t.notTestable('the events were not served in parts');
  const toTexts = (list: readonly JsonValue[]): string[] => list.map((event) => canonicalText(withoutAddresses(event)));
  const all = toTexts(whole.events);
  const parts = eventParts.map((part) => ({ exchange: part.exchange, texts: toTexts(part.events) }));
  for (const { exchange, texts } of parts) {
    const places = texts.map((text) => all.indexOf(text)).filter((place) => place !== -1);
    const back = places.findIndex((place, index) => index > 0 && place <= (places[index - 1] ?? -1));
    const message = `a part of the events shows ${all[places[back] ?? 0]} behind ${all[places[back - 1] ?? 0]}; expected the order of the whole list`;
    t.expect(back === -1, { exchange, message });
  }
  const joined = parts.flatMap(({ exchange, texts }) => texts.map((text) => ({ exchange, text })));
  // A list with the newest event first may have a new first event by now.
  if (joined[0]?.text !== all[0]) return;
  const at = joined.findIndex(({ text }, index) => text !== all[index]);
  const message = `event ${at + 1} of the parts of the list is ${joined[at]?.text}; expected ${all[at] ?? 'no further event'}, as in the whole list`;
  t.expect(at === -1, { exchange: joined[at]?.exchange, message });
}

interface Reads {
  reads: readonly EventRead[];
  ended: boolean;
}

async function collectReads(t: CheckContext): Promise<Reads[]> {
  if (t.target.v4?.events === null) t.notTestable('the target file names no operation that reads events (v4.events)');
  return (await collectRuns(t)).map(({ events, looks }) => ({
    reads: events,
    ended: looks.some((look) => isOver(look)),
  }));
}

/** A run whose events were read while it was polled. */
type Watched = Pick<OneShotJob, 'id' | 'looks' | 'events'>;

async function collectRuns(t: CheckContext): Promise<readonly Watched[]> {
  const run = await t.recording(oneShotRun);
  const runs: Watched[] = uninterruptibleReason(t.target, 'run') === undefined ? [run, run.interrupted()] : [run];
  const later = run.later?.watched;
  return later === undefined ? runs : [...runs, later];
}

/**
 * Ends the check if no read of the events was served, but the events may be served elsewhere. The contract does not
 * show the URL of the events.
 */
function assertServed(t: CheckContext, reads: readonly EventRead[]): void {
  const [first] = reads;
  // A read that fails after its first page was served.
  if (first === undefined || reads.some(({ served, events }) => served || events.length > 0)) return;
  const { exchange } = first;
  const every = `every read of the events ${describeAnswer(exchange)}`;
  const place = 'v4.events of the target file says where they stand';
  if (reads.every((read) => isAbsent(read.exchange))) t.notTestable(`${every}: ${place}`);
  if (reads.every((read) => isCapacity(read.exchange.status))) t.blocked(every);
  const list = findList(exchange.json);
  if (succeeded(exchange) && list !== undefined) t.blocked(`${every} with a list at ${list}: ${place}`);
}

/** Returns true for 404, 405, 410 and 501: the target may serve the events at another URL. */
function isAbsent({ status }: Exchange): boolean {
  return [404, 405, 410, 501].includes(status);
}

/**
 * Returns the path of the first list in an answer, among its members and their members, such as `a.b`; `the top` if the
 * answer itself is a list. Undefined without a list.
 */
function findList(json: JsonValue | undefined, depth = 1): string | undefined {
  if (Array.isArray(json)) return 'the top';
  for (const [name, value] of isJsonObject(json) ? Object.entries(json) : []) {
    if (Array.isArray(value)) return name;
    const below = depth === 0 ? undefined : findList(value, depth - 1);
    if (below !== undefined) return `${name}.${below}`;
  }
  return undefined;
}

function polled(t: CheckContext, { served, exchange }: EventRead): void {
  const items = t.target.v4?.events?.items ?? '';
  const message = `a read of the events ${describeAnswer(exchange)}; expected a success with a list at "${items}"`;
  t.expect(served, { exchange, message });
}

/**
 * Returns the ids in the list of runs: earlier runs of the project, and runs of the suite. Empty if the target offers
 * no list or does not answer with a list.
 */
async function listedRuns({ jobs, send }: CheckContext): Promise<readonly string[]> {
  const list = jobs.run.request('list', '');
  return list === undefined ? [] : (jobs.run.readIds(await send(list)) ?? []);
}

/**
 * Judges by the last read of each run that no event contains the id of another run without the id of its own run. Such
 * an event belongs to the other run.
 */
function ownEvents(t: CheckContext, runs: readonly Watched[], listed: readonly string[]): void {
  for (const { id, events } of runs) {
    const others = [...runs.map((run) => run.id), ...listed].filter((other) => other !== id && other !== '');
    const last = events.at(-1);
    for (const event of last?.events ?? []) {
      const text = JSON.stringify(event);
      const foreign = text.includes(id) ? undefined : others.find((other) => text.includes(other));
      const message = `the events of the run ${id} hold one of the run ${foreign}: ${show(event)}; expected its own`;
      t.expect(foreign === undefined, { exchange: last?.exchange, message });
    }
  }
}

/**
 * Judges that event ids are unique, and that numeric ids ascend or descend. They descend if the newest event is first.
 */
function ordered(t: CheckContext, { events, exchange }: EventRead): void {
  const path = t.target.v4?.events?.id ?? null;
  if (path === null) return;
  const ids = events.map((event) => memberAt(event, path));
  const texts = ids.map((id) => identifier(id));
  const twice = findRepeated(texts.filter((id) => id !== undefined));
  t.expect(twice === undefined, { exchange, message: `the event ${twice} stands in the list twice; expected it once` });
  const numbers = ids.filter((id) => typeof id === 'number');
  if (numbers.length < ids.length || twice !== undefined) return;
  const [first = 0, second = 0] = numbers;
  const step = second < first ? -1 : 1;
  const broken = numbers.findIndex((id, index) => index > 0 && (id - (numbers[index - 1] ?? id)) * step <= 0);
  const message = `the event ${numbers[broken]} stands behind the event ${numbers[broken - 1]}; expected ids in one order`;
  t.expect(broken === -1, { exchange, message });
}

/**
 * Judges that each read keeps the events of the read before. The events of the earlier read begin the later read, or
 * end it if the newest event is first.
 */
function grows(t: CheckContext, reads: readonly EventRead[]): void {
  const lists = reads.map(({ events }) => events.map((event) => canonicalText(withoutAddresses(event))));
  const broken = { oldest: firstBroken(lists, startsWith), newest: firstBroken(lists, endsWith) };
  const at = broken.oldest === undefined || broken.newest === undefined ? undefined : broken.oldest;
  if (lists.length < 2) return;
  const read = reads[at ?? reads.length - 1];
  t.expect(at === undefined, { exchange: read?.exchange, message: differenceAt(lists, at ?? 0) });
}

type List = readonly string[];

function firstBroken(lists: readonly List[], keeps: (later: List, earlier: List) => boolean): number | undefined {
  const found = lists.findIndex((later, index) => index > 0 && !keeps(later, lists[index - 1] ?? []));
  return found === -1 ? undefined : found;
}

function startsWith(later: List, earlier: List): boolean {
  return earlier.every((event, index) => later[index] === event);
}

function endsWith(later: List, earlier: List): boolean {
  return later.length >= earlier.length && startsWith(later.slice(later.length - earlier.length), earlier);
}

function differenceAt(lists: readonly List[], at: number): string {
  const [earlier = [], later = []] = [lists[at - 1], lists[at]];
  const again = [earlier, later].map(findRepeated).find((event) => event !== undefined);
  if (again !== undefined)
    return `a read of the events from the beginning shows an event twice; expected each once, as its cursors only go forward: ${again}`;
  const place = earlier.findIndex((event, index) => later[index] !== event);
  const found = later[place] ?? 'no event';
  return `event ${place + 1} of a run changed between two reads; expected that events stay and only new ones follow: it was ${earlier[place]}, and is ${found}`;
}

/** Checks of the event pages of a V4 run that has ended. */
export const runEventPageChecks: readonly Check[] = [
  viewed('EVT-10', (t, { views: { events } }) => {
    for (const page of listPages(events)) {
      const ids = listEventNumbers(page);
      if (ids.length === 0) continue;
      const rising = ids.every((id, index) => Number.isInteger(id) && (index === 0 || id > (ids[index - 1] ?? id)));
      t.expect(rising, {
        exchange: page,
        message: `the ids of a page of events are ${ids.join(', ')}; expected that they rise`,
      });
    }
  }),
  viewed('EVT-11', (t, { views: { events } }) => {
    const { all, behindSecond } = events;
    const [, , ...want] = listIds(listItems(all, 'events'));
    judged(t, behindSecond, 'the page behind the second event').ids({
      shown: listIds(listItems(behindSecond, 'events')),
      want,
    });
  }),
  viewed('EVT-12', (t, { views: { events } }) => {
    for (const page of listPages(events)) {
      const highest = listEventNumbers(page).at(-1);
      if (highest !== undefined) judged(t, page, 'a page of events').member('nextAfter', highest);
    }
  }),
  viewed('EVT-13', (t, { views: { events } }) => {
    const { all, single, behindSecond } = events;
    const count = listItems(all, 'events').length;
    for (const page of [all, behindSecond])
      judged(t, page, 'a page that holds the last event').member('hasMore', false);
    for (const [index, page] of single.entries())
      judged(t, page, `page ${index + 1} of ${count} events`).member('hasMore', index + 1 < count);
  }),
  viewed('EVT-14', (t, { views: { events } }) => {
    const { all, single } = events;
    const [shown, want] = [listIds(listAllItems(single, 'events')), listIds(listItems(all, 'events'))];
    judged(t, single[0] ?? all, 'page after page of events').ids({ shown, want });
    for (const page of single) {
      const held = listItems(page, 'events').length;
      t.expect(held <= 1, { exchange: page, message: `a page of one event holds ${held}; expected at most one` });
    }
  }),
  check('EVT-15', { needs: [oneShotRun] }, async (t) => {
    t.operations.need('v4.listRunEvents');
    for (const { looks, events } of await collectRuns(t)) {
      const end = looks.find((look) => isOver(look));
      const whole = events.findLast(({ from, served, isCut }) => from === 'start' && served && !isCut);
      if (end === undefined || whole === undefined) continue;
      const types = whole.events.map((event) => toText(memberAt(event, 'type')));
      const ends = types.filter((type) => terminal.includes(type));
      const want = `run.${toText(end.status)}`;
      const holds = types[0] === 'run.created' && isSame(ends, [want]);
      const message = `a run that is ${want.slice(4)} has the events ${show(types)}; expected run.created first and ${want} once`;
      t.expect(holds, { exchange: whole.exchange, message });
    }
  }),
  viewed('EVT-16', (t, { views: { events } }) => {
    const items = listItems(events.all, 'events');
    if (items.length === 0) t.notTestable(`the read of the events ${describeAnswer(events.all)} and shows no event`);
    const wrong = items.find(({ runId }) => runId !== events.runId);
    const message = `an event of the run ${events.runId} names the run ${show(wrong?.['runId'])}; expected its own run`;
    t.expect(wrong === undefined, { exchange: events.all, message });
  }),
];

const terminal = ['run.completed', 'run.failed', 'run.cancelled', 'run.dispatch_failed'];

function listPages({ all, single, behindSecond }: EventPages): Exchange[] {
  return [all, behindSecond, ...single];
}

function listEventNumbers(page: Exchange): number[] {
  return listItems(page, 'events').map(({ id }) => Number(id));
}

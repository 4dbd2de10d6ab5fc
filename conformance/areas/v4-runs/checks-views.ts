import { models } from '#generated/rules.ts';
import type { JobSnapshot } from '../../core/apis.ts';
import { type Check, type CheckContext, type CheckOptions, check } from '../../core/check.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { isJsonObject, type JsonObject, memberAt, toText, isSame } from '../../core/json.ts';
import type { OperationKey } from '../../core/operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { listItems, listAllItems } from '../../common/followed-pages.ts';
import { runProbe } from '../../common/probe-bodies.ts';
import { requestObject } from '../../core/request-json.ts';
import { isOver, type ObservedJob } from '../../common/observed-job.ts';
import { type RunViews, viewOperations } from '../v4-sessions/scenarios.ts';
import { findInterrupted, oneShotRun, type RunPair } from './scenarios.ts';
import { show } from '../../core/text.ts';
import { listIds, judged, required, unchanged } from '../../common/judgement.ts';

/**
 * Checks of V4 runs in their records, status views and lists, of cancellations, and of creations that must be refused.
 */
export const runViewChecks: readonly Check[] = [
  viewed('V4-VIEW-01', (t, { looks }) => {
    for (const { exchange } of looks.filter((look) => look.exchange.operation === 'getRunStatus')) {
      const members = isJsonObject(exchange.json) ? Object.keys(exchange.json) : [];
      const message = `the status view of a V4 run has the members ${members.join(', ')}; expected status alone`;
      t.expect(isSame(members, ['status']), { exchange, message });
    }
  }),
  viewed('V4-VIEW-02', (t, pair) => {
    for (const run of [pair, pair.later?.watched]) if (run !== undefined) completeAtEnd(t, run);
  }),
  viewed('V4-VIEW-03', (t, { dispatched, views: { events } }) => {
    for (const member of ['sessionId', 'eventsUrl']) {
      const value = memberAt(dispatched.json, member);
      const message = `${member} in the answer to run creation is ${show(value)}; expected a text`;
      t.expect(typeof value === 'string' && value !== '', { exchange: dispatched, message });
    }
    if (events.atAddress === undefined) return;
    judged(t, events.atAddress, 'the address of the events').status(200);
    const [one, other] = [listIds(listItems(events.atAddress, 'events')), listIds(listItems(events.all, 'events'))];
    judged(t, events.atAddress, 'the address of the events').ids({ shown: one, want: other });
  }),
  viewed('V4-VIEW-04', (t, { dispatched, after, views: { sessionId } }) => {
    const { task = null, model = null } = requestObject(dispatched);
    for (const { exchange } of after)
      for (const [member, value] of Object.entries({ task, model, sessionId }))
        judged(t, exchange, 'a V4 run').member(member, value);
  }),
  viewed('V4-VIEW-05', (t, { views: { cancels } }) => {
    for (const { what, before, answer, after } of cancels) {
      judged(t, answer, `the cancel of ${what}`).status(200);
      unchanged(t, { before, after: answer, what });
      unchanged(t, { before, after, what });
    }
  }),
  check('V4-VIEW-06', { needs: [oneShotRun] }, async (t) => {
    t.operations.need('v4.listRuns');
    const { direct, before: look } = (await t.recording(oneShotRun)).interrupted();
    const { before, answer, after } = required(t, direct, 'the answer to the creation names no session (sessionId)');
    // A run that has ended by itself no longer blocks its session.
    if (isOver(look)) t.notTestable('the slow run had ended before anything could be done beside it');
    judged(t, answer, 'a second V4 run for a session whose run is active').status(409);
    const [want, shown] = [listIds(listItems(before, 'runs')), listIds(listItems(after, 'runs'))];
    judged(t, after, 'the list of the runs of a session after a refused run').ids({ shown, want });
  }),
  viewed('V4-VIEW-07', (t, pair) => {
    const { dispatched, later } = pair;
    const interrupted = findInterrupted(pair);
    continuesSession(t, dispatched, [...creations(later), ...(later?.watched?.after ?? []).map(toExchange)]);
    if (interrupted?.follower === undefined) return;
    const { created, after } = interrupted.follower;
    continuesSession(t, interrupted.dispatched, [created, ...after.map(toExchange)]);
  }),
  viewed('V4-VIEW-08', (t, { views: { lists }, ids }) => {
    for (const exchange of [lists.runs, lists.ofSession]) {
      const times = listItems(exchange, 'runs').map((run) => toText(run['createdAt']));
      const falling = times.every(
        (time, index) => index === 0 || Date.parse(time) <= Date.parse(times[index - 1] ?? time),
      );
      t.expect(falling, {
        exchange,
        message: `runs are listed with the times ${show(times)}; expected the newest first`,
      });
    }
    const want = ids.toReversed();
    const shown = listIds(listItems(lists.ofSession, 'runs'));
    const message = `the runs of a session are listed as ${show(shown)}; expected ${show(want)}`;
    t.expect(isSame(shown, want), { exchange: lists.ofSession, message });
  }),
  viewed('V4-VIEW-09', (t, pair) => {
    const { lists, ofOther } = pair.views;
    const shown = listIds(listItems(lists.ofSession, 'runs'));
    judged(t, lists.ofSession, 'the list of the runs of one session').ids({ shown, want: pair.ids });
    const other = findInterrupted(pair);
    if (ofOther === undefined || other?.follower === undefined) return;
    const later = [other.direct?.answer, other.follower.created].flatMap((answer) =>
      answer !== undefined && succeeded(answer) ? (t.jobs.run.readId(answer) ?? []) : [],
    );
    judged(t, ofOther, 'the list of the runs of a session with a cancelled run').ids({
      shown: listIds(listItems(ofOther, 'runs')),
      want: [other.id, ...later],
    });
  }),
  viewed('V4-VIEW-10', (t, { views: { lists }, ids }) => {
    const { pages } = lists;
    const last = pages.at(-1);
    if (last === undefined) return;
    judged(t, last, 'page after page of runs').ids({ shown: listIds(listAllItems(pages, 'runs')), want: ids });
    for (const page of pages) {
      const count = listItems(page, 'runs').length;
      t.expect(count <= 1, { exchange: page, message: `a page of one run shows ${count}; expected at most one` });
      const more = memberAt(page.json, 'hasMore') ?? false;
      const next = memberAt(page.json, 'nextCursor') ?? null;
      const message = `page ${pages.indexOf(page) + 1} of ${pages.length} says hasMore ${show(more)} and nextCursor ${show(next)}; expected both on every page but the last`;
      t.expect(more === (page !== last) && (next !== null) === (page !== last), { exchange: page, message });
    }
  }),
  check('V4-VIEW-11', {}, async (t) => {
    for (const key of ['v4.listRuns', 'v4.listSessions'] as const) {
      const exchange = await t.operations.call(key, { query: { cursor: 'not-an-issued-cursor' }, invalid: true });
      judged(t, exchange, `${key} with a cursor that the service has not issued`).status(400);
    }
  }),
  check('V4-VIEW-12', {}, async (t) => {
    const path = [randomUuid(createRandom(t.seed))];
    const keys: OperationKey[] = ['v4.getRun', 'v4.getRunStatus', 'v4.listRunEvents', 'v4.cancelRun'];
    for (const key of keys)
      judged(t, await t.operations.call(key, { path }), `${key} for a run that does not exist`).status(404);
  }),
  check('V4-VIEW-13', {}, async (t) => {
    for (const wrong of wrongRuns) {
      const body = { ...runProbe(t.target), ...wrong };
      const exchange = await t.operations.probe('run', 'v4.createRun', { body });
      judged(t, exchange, `a V4 run with ${show(wrong)}`).status(422);
    }
  }),
  viewed('V4-VIEW-14', (t, { views: { attachments } }) => {
    judged(t, attachments, 'the attachments of a V4 run without any').member('attachments', []);
  }),
];

const wrongRuns: readonly JsonObject[] = [
  { task: '' },
  { maxCostUsd: 0 },
  { maxCostUsd: -1 },
  { maxCostUsd: 'much' },
  { browserSettings: { screenWidth: 319, screenHeight: 720 } },
  { browserSettings: { screenWidth: 1280, screenHeight: 3457 } },
  { browserSettings: { proxyCountryCode: 'gb' } },
  { browserSettings: { proxyCountryCode: 'US' } },
  { model: '' },
  { model: models.v4.recommended.model.toUpperCase() },
  { model: 'svc-max' },
  { attachedFileIds: ['no-id'] },
  { attachedFileIds: Array.from({ length: 21 }, (_, index) => randomUuid(createRandom(index))) },
  { inbox: 'high' },
];

/** A pair of runs with the views of the first run's session. */
export interface ViewedPair extends Omit<RunPair, 'views'> {
  views: RunViews;
  /** Ids of the session's runs in the order of creation. */
  ids: readonly string[];
}

/** Creates a check of the views of a session whose runs have ended. */
export function viewed(
  id: Check['id'],
  judge: (t: CheckContext, pair: ViewedPair) => void,
  options: Pick<CheckOptions, 'phase'> = {},
): Check {
  return check(id, { ...options, needs: [oneShotRun] }, async (t) => {
    t.operations.need(...viewOperations);
    const pair = await t.recording(oneShotRun);
    const views = required(t, pair.views(), 'no two runs of one V4 session were seen to end');
    judge(t, { ...pair, views, ids: [pair.id, pair.later?.watched?.id].filter((one) => one !== undefined) });
  });
}

/**
 * Judges that the first record of a run after its end shows the status of the status view, a result if the run is
 * completed, and the same values as a later record.
 */
function completeAtEnd(t: CheckContext, { id, looks, after }: ObservedJob): void {
  const end = looks.find((look) => isOver(look));
  const later = after.at(-1);
  if (end === undefined || later === undefined) return;
  const isRecord = (one: Exchange): boolean => one.operation === 'getRun' && one.request.url.endsWith(`/${id}`);
  const first = t.recorder.all().find((one) => isRecord(one) && one.atMs >= end.exchange.atMs);
  if (first === undefined) return;
  judged(t, first, 'the record of a V4 run whose status is terminal').member('status', end.status ?? null);
  const result = memberAt(first.json, 'result');
  const message = `result of a V4 run that is completed is ${show(result)}; expected a text`;
  t.expect(end.phase !== 'completed' || typeof result === 'string', { exchange: first, message });
  unchanged(t, { before: first, after: later.exchange, what: 'a V4 run that has ended' });
}

/** Judges that the answers about a later run name the session and the workspace of the earlier run. */
function continuesSession(t: CheckContext, earlier: Exchange, answers: readonly Exchange[]): void {
  const [sessionId, workspaceId] = ['sessionId', 'workspaceId'].map((name) => memberAt(earlier.json, name));
  for (const exchange of answers.filter((one) => succeeded(one))) {
    judged(t, exchange, 'a V4 run that continues a session').member('sessionId', sessionId ?? null);
    // The check of the response schema judges whether the member exists.
    if (workspaceId !== undefined)
      judged(t, exchange, 'a V4 run that continues a session').member('workspaceId', workspaceId);
  }
}

/** Returns the answer that created the later run of a session, as a list; empty without a later run. */
function creations(later: RunPair['later']): Exchange[] {
  return later?.watched === undefined ? [] : [later.watched.dispatched];
}

function toExchange({ exchange }: JobSnapshot): Exchange {
  return exchange;
}

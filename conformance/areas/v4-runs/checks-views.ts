import { models } from '#generated/rules.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { isJsonObject, type JsonObject, memberAt, toText, isSame } from '../../core/json.ts';
import type { OperationKey } from '../../core/operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { listItems, listAllItems } from '../../common/followed-pages.ts';
import { runProbe } from '../../common/probe-bodies.ts';
import { type RunSession, runSession } from '../v4-sessions/scenarios.ts';
import { show } from '../../common/session-records.ts';
import { listIds, judged } from '../../common/judgement.ts';

/**
 * Checks of V4 runs in their records, status views and lists, of cancellations, and of creations that must be refused.
 */
export const runViewChecks: readonly Check[] = [
  check('V4-VIEW-01', { needs: [runSession] }, async (t) => {
    for (const exchange of (await t.recording(runSession)).first.statuses) {
      const members = isJsonObject(exchange.json) ? Object.keys(exchange.json) : [];
      const message = `the status view of a V4 run has the members ${members.join(', ')}; expected status alone`;
      t.expect(isSame(members, ['status']), { exchange, message });
    }
  }),
  check('V4-VIEW-02', { needs: [runSession] }, async (t) => {
    const { first, third } = await t.recording(runSession);
    for (const { statuses, atEnd, later } of [first, third]) {
      const status = memberAt(statuses.at(-1)?.json, 'status') ?? null;
      judged(t, atEnd, 'the record of a V4 run whose status is terminal').member('status', status);
      const result = memberAt(atEnd.json, 'result');
      const message = `result of a V4 run whose status is terminal is ${show(result)}; expected a text`;
      t.expect(typeof result === 'string', { exchange: atEnd, message });
      unchanged(t, { before: atEnd, after: later, what: 'a V4 run that has ended' });
    }
  }),
  check('V4-VIEW-03', { needs: [runSession] }, async (t) => {
    const { first, events } = await t.recording(runSession);
    for (const member of ['sessionId', 'eventsUrl']) {
      const value = memberAt(first.created.json, member);
      const message = `${member} in the answer to run creation is ${show(value)}; expected a text`;
      t.expect(typeof value === 'string' && value !== '', { exchange: first.created, message });
    }
    if (events.atAddress === undefined) return;
    judged(t, events.atAddress, 'the address of the events').status(200);
    const [one, other] = [listIds(listItems(events.atAddress, 'events')), listIds(listItems(events.all, 'events'))];
    judged(t, events.atAddress, 'the address of the events').ids({ shown: one, want: other });
  }),
  check('V4-VIEW-04', { needs: [runSession] }, async (t) => {
    const { first, sessionId } = await t.recording(runSession);
    const want = { task: t.target.tasks.succeed, model: models.v4.recommended.model, sessionId };
    for (const [member, value] of Object.entries(want)) judged(t, first.atEnd, 'a V4 run').member(member, value);
  }),
  check('V4-VIEW-05', { needs: [runSession] }, async (t) => {
    const { first, second } = await t.recording(runSession);
    judged(t, first.cancelled, 'the cancel of a V4 run that was completed').status(200);
    unchanged(t, {
      before: first.atEnd,
      after: first.cancelled,
      what: 'a V4 run that was completed and then cancelled',
    });
    judged(t, second.again, 'the second cancel of a V4 run').status(200);
    unchanged(t, { before: second.atEnd, after: second.again, what: 'a V4 run that was cancelled twice' });
    unchanged(t, { before: second.atEnd, after: second.later, what: 'a V4 run that was cancelled twice' });
  }),
  check('V4-VIEW-06', { needs: [runSession] }, async (t) => {
    const { before, answer, after } = (await t.recording(runSession)).second.direct;
    judged(t, answer, 'a second V4 run for a session whose run is active').status(409);
    const [want, shown] = [listIds(listItems(before, 'runs')), listIds(listItems(after, 'runs'))];
    judged(t, after, 'the list of the runs of a session after a refused run').ids({ shown, want });
  }),
  check('V4-VIEW-07', { needs: [runSession] }, async (t) => {
    const { sessionId, first, second, third } = await t.recording(runSession);
    const workspaceId = memberAt(first.created.json, 'workspaceId');
    for (const exchange of [second.created, second.atEnd, third.created, third.atEnd]) {
      judged(t, exchange, 'a V4 run that continues a session').member('sessionId', sessionId);
      // The check of the response schema judges whether the member exists.
      if (workspaceId !== undefined)
        judged(t, exchange, 'a V4 run that continues a session').member('workspaceId', workspaceId);
    }
  }),
  check('V4-VIEW-08', { needs: [runSession] }, async (t) => {
    const { lists } = await t.recording(runSession);
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
    const want = ownIds(await t.recording(runSession)).toReversed();
    const shown = listIds(listItems(lists.ofSession, 'runs'));
    const message = `the runs of a session are listed as ${show(shown)}; expected ${show(want)}`;
    t.expect(isSame(shown, want), { exchange: lists.ofSession, message });
  }),
  check('V4-VIEW-09', { needs: [runSession] }, async (t) => {
    const recording = await t.recording(runSession);
    const { ofSession } = recording.lists;
    const shown = listIds(listItems(ofSession, 'runs'));
    judged(t, ofSession, 'the list of the runs of one session').ids({ shown, want: ownIds(recording) });
  }),
  check('V4-VIEW-10', { needs: [runSession] }, async (t) => {
    const recording = await t.recording(runSession);
    const { pages } = recording.lists;
    const last = pages.at(-1);
    if (last === undefined) return;
    judged(t, last, 'page after page of runs').ids({
      shown: listIds(listAllItems(pages, 'runs')),
      want: ownIds(recording),
    });
    for (const page of pages) {
      const count = listItems(page, 'runs').length;
      t.expect(count <= 1, { exchange: page, message: `a page of one run shows ${count}` });
      const more = memberAt(page.json, 'hasMore') ?? false;
      const next = memberAt(page.json, 'nextCursor') ?? null;
      const message = `page ${pages.indexOf(page) + 1} of ${pages.length} says hasMore ${show(more)} and nextCursor ${show(next)}`;
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
  check('V4-VIEW-14', { needs: [runSession] }, async (t) => {
    const { attachments } = await t.recording(runSession);
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

/** Returns the ids of the session's runs in the order of creation. */
function ownIds({ first, second, third }: RunSession): string[] {
  return [first.id, second.id, third.id];
}

interface Unchanged {
  before: { json: RunSession['first']['atEnd']['json'] };
  after: RunSession['first']['atEnd'];
  what: string;
}

function unchanged(t: CheckContext, { before, after, what }: Unchanged): void {
  const [one, other] = [before.json, after.json];
  const members = isJsonObject(one) ? Object.keys(one) : [];
  const changed = members.filter((member) => !isSame(memberAt(one, member), memberAt(other, member)));
  const message = `${what} shows other values of ${changed.join(', ')}`;
  t.expect(members.length > 0 && changed.length === 0, { exchange: after, message });
}

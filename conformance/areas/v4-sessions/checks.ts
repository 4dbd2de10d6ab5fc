import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer } from '../../core/exchange.ts';
import { type JsonObject, memberAt } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { listItems, listAllItems } from '../../common/followed-pages.ts';
import { runQueue } from './scenarios-queue.ts';
import { givenTitle, runSession } from './scenarios.ts';
import { show } from '../../common/session-records.ts';
import { judged } from '../../common/judgement.ts';

/** Checks of views, titles and ends of V4 sessions. */
export const runSessionChecks: readonly Check[] = [
  check('V4-SES-01', { needs: [runSession] }, async (t) => {
    const { sessionId, third, lists } = await t.recording(runSession);
    const want = latest(third.id, t.target.tasks.succeed);
    judged(t, lists.session, 'a V4 session').member('sessionId', sessionId);
    for (const [member, value] of Object.entries(want)) judged(t, lists.session, 'a V4 session').member(member, value);
  }),
  check('V4-SES-02', { needs: [runSession] }, async (t) => {
    const { sessionId, third, lists } = await t.recording(runSession);
    const rows = listItems(lists.sessions, 'sessions').filter((row) => row['sessionId'] === sessionId);
    const message = `the list of V4 sessions shows a session with three runs ${rows.length} times; expected one row`;
    t.expect(rows.length === 1, { exchange: lists.sessions, message });
    for (const row of rows) showsLatest(t, lists.sessions, { row, want: latest(third.id, t.target.tasks.succeed) });
  }),
  check('V4-SES-03', { needs: [runSession] }, async (t) => {
    const { sessionPages } = (await t.recording(runSession)).lists;
    const ids = listAllItems(sessionPages, 'sessions').map((row) => row['sessionId']);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    const exchange = sessionPages.at(-1);
    t.expect(twice === undefined, { exchange, message: `pages of V4 sessions show ${show(twice)} twice` });
    for (const page of sessionPages) {
      const count = listItems(page, 'sessions').length;
      t.expect(count <= 2, { exchange: page, message: `a page of two V4 sessions shows ${count}` });
    }
  }),
  check('V4-SES-04', { needs: [runSession] }, async (t) => {
    const { titled, cleared } = (await t.recording(runSession)).edits;
    for (const exchange of [titled.answer, titled.after])
      judged(t, exchange, 'a V4 session that was given a title').member('title', givenTitle);
    for (const exchange of [cleared.answer, cleared.after])
      judged(t, exchange, 'a V4 session whose title was taken away').member('title', null);
  }),
  check('V4-SES-05', { needs: [runSession] }, async (t) => {
    const { answer, after } = (await t.recording(runSession)).edits.tooLong;
    judged(t, answer, 'a title of 256 characters').status(422);
    judged(t, after, 'a V4 session after a refused title').member('title', givenTitle);
  }),
  check('V4-SES-06', { needs: [runSession] }, async (t) => {
    const { sessionId, deleted } = await t.recording(runSession);
    judged(t, deleted.answer, 'DELETE of a V4 session').status(204);
    judged(t, deleted.fetched, 'GET of a deleted V4 session').status(404);
    judged(t, deleted.again, 'a second DELETE of a V4 session').status(204, 404);
    const listed = listItems(deleted.listed, 'sessions').some((row) => row['sessionId'] === sessionId);
    t.expect(!listed, { exchange: deleted.listed, message: 'the list of V4 sessions shows one that was deleted' });
  }),
  check('V4-SES-07', { needs: [runQueue] }, async (t) => {
    const { run, message } = (await t.recording(runQueue)).deleted;
    hasEnded(t, run, 'the active run of a deleted V4 session');
    hasEnded(t, message, 'a pending message of a deleted V4 session');
  }),
  check('V4-SES-08', {}, async (t) => {
    const path = [randomUuid(createRandom(t.seed))];
    const answers = [
      await t.operations.call('v4.getSession', { path }),
      await t.operations.call('v4.updateSession', { path, body: { title: 'No session' } }),
      await t.operations.call('v4.listMessages', { path }),
      await t.operations.call('v4.createMessage', { path, body: { text: 'No session' } }),
    ];
    for (const exchange of answers)
      judged(t, exchange, `${exchange.operation} for a session that does not exist`).status(404);
  }),
  check('V4-SES-09', {}, async (t) => {
    for (const limit of [0, 101]) {
      const exchange = await t.operations.call('v4.listSessions', { query: { limit }, invalid: true });
      judged(t, exchange, `the list of V4 sessions with limit ${limit}`).status(422);
    }
  }),
];

function latest(latestRunId: string, task: string): JsonObject {
  return { latestRunId, task, status: 'completed' };
}

function showsLatest(t: CheckContext, exchange: Exchange, { row, want }: { row: JsonObject; want: JsonObject }): void {
  for (const [member, value] of Object.entries(want)) {
    const message = `${member} of a V4 session in a list is ${show(row[member])}; expected ${show(value)}, of its latest run`;
    t.expect(row[member] === value, { exchange, message });
  }
}

function hasEnded(t: CheckContext, exchange: Exchange, what: string): void {
  const status = memberAt(exchange.json, 'status');
  const message = `${what} ${describeAnswer(exchange)} with the status ${show(status)}; expected cancelled, or 404`;
  t.expect(exchange.status === 404 || status === 'cancelled', { exchange, message });
}

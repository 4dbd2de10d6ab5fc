import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { Exchange } from '../../core/exchange.ts';
import { type JsonObject, memberAt, textOf } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { itemsOf, itemsOfAll } from '../common/followed-pages.ts';
import { taskProbe } from '../common/probe-bodies.ts';
import { taskSession } from '../v2-tasks/scenarios.ts';
import { type SessionLists, taskSessionStop } from './scenarios.ts';
import { show } from '../common/session-records.ts';
import { expectPage, idsOf, judged } from '../common/judgement.ts';

/** V2 sessions. */
export const taskSessionChecks: readonly Check[] = [
  check('V2-SES-01', { needs: [taskSession, taskSessionStop] }, async (t) => {
    const { created, fetched } = await t.recording(taskSession);
    judged(t, created, 'creation of a V2 session').status(201);
    for (const exchange of [created, fetched]) {
      for (const member of ['keepAlive', 'persistMemory']) judged(t, exchange, 'a V2 session').member(member, true);
    }
    const named = await t.recording(taskSessionStop);
    for (const exchange of [named.created, named.working])
      judged(t, exchange, 'a V2 session that asked for it').member('persistMemory', false);
  }),
  check('V2-SES-02', { needs: [taskSession] }, async (t) => {
    const { lists, fetched, id } = await t.recording(taskSession);
    t.expect(itemsOf(fetched, 'tasks').length === 0 && Array.isArray(memberAt(fetched.json, 'tasks')), {
      exchange: fetched,
      message: `a new V2 session has the tasks ${show(memberAt(fetched.json, 'tasks'))}; expected an empty list`,
    });
    const shown = itemsOf(lists.session, 'tasks');
    judged(t, lists.session, 'the V2 session').ids({ shown: idsOf(shown), want: idsOf(itemsOf(lists.all, 'items')) });
    for (const task of shown) listed(t, lists.session, task);
    judged(t, lists.session, 'a V2 session').member('id', id);
  }),
  check('V2-SES-03', { needs: [taskSessionStop] }, async (t) => {
    const { id, whileActive, whileStopped } = await t.recording(taskSessionStop);
    inOwnList(t, id, { lists: whileActive, own: 'active', other: 'stopped' });
    inOwnList(t, id, { lists: whileStopped, own: 'stopped', other: 'active' });
  }),
  check('V2-SES-04', { needs: [taskSessionStop] }, async (t) => {
    const { pages, whileActive } = await t.recording(taskSessionStop);
    const place = { items: 'items', total: 'totalItems' };
    expectPage(t, { ...place, exchange: pages.one, asked: { pageNumber: 1, pageSize: 1 }, most: 1 });
    expectPage(t, { ...place, exchange: pages.far, asked: { pageNumber: 1_000_000, pageSize: 1 }, most: 0 });
    for (const [index, exchange] of whileActive.active.entries())
      expectPage(t, { ...place, exchange, asked: { pageNumber: index + 1, pageSize: 100 }, most: 100 });
  }),
  check('V2-SES-05', { needs: [taskSessionStop] }, async (t) => {
    const { answer, after, task } = await t.recording(taskSessionStop);
    judged(t, answer, 'PATCH of a V2 session with stop').status(200);
    judged(t, after, 'a V2 session after its stop').member('status', 'stopped');
    const last = task.records.at(-1);
    const message = `the task of a V2 session that was stopped is ${show(last?.status)}; expected stopped`;
    t.expect(last?.status === 'stopped', { exchange: last?.exchange, message });
  }),
  check('V2-SES-06', { needs: [taskSessionStop] }, async (t) => {
    const { created, working, after } = await t.recording(taskSessionStop);
    for (const exchange of [created, working]) judged(t, exchange, 'an active V2 session').member('finishedAt', null);
    const finishedAt = memberAt(after.json, 'finishedAt');
    const message = `finishedAt of a stopped V2 session is ${show(finishedAt)}; expected a time`;
    t.expect(typeof finishedAt === 'string', { exchange: after, message });
  }),
  check('V2-SES-07', { needs: [taskSession] }, async (t) => {
    const { answer, fetched } = (await t.recording(taskSession)).deleted;
    judged(t, answer, 'DELETE of a V2 session').status(204);
    judged(t, fetched, 'GET of a deleted V2 session').status(404);
  }),
  check('V2-SES-08', {}, async (t) => {
    const path = [randomUuid(createRandom(t.seed))];
    notFound(t, await t.operations.call('v2.getSession', { path }), 'Session not found');
    notFound(t, await t.operations.call('v2.updateSession', { path, body: { action: 'stop' } }), 'Session not found');
    notFound(t, await t.operations.call('v2.deleteSession', { path }), 'Session not found');
    const body = { ...taskProbe(), sessionId: path[0] ?? '' };
    notFound(t, await t.operations.probe('task', 'v2.createTask', { body }), 'Session not found');
  }),
  check('V2-SES-09', {}, async (t) => {
    for (const body of wrongScreens) {
      const exchange = await t.operations.probe('session', 'v2.createSession', { body });
      judged(t, exchange, `a V2 session with the screen ${show(body)}`).status(422);
    }
  }),
];

/** Screens that are too small or too large; each has both sides, so that only the bounds are wrong. */
export const wrongScreens: readonly JsonObject[] = [
  { browserScreenWidth: 319, browserScreenHeight: 720 },
  { browserScreenWidth: 6145, browserScreenHeight: 720 },
  { browserScreenWidth: 1280, browserScreenHeight: 319 },
  { browserScreenWidth: 1280, browserScreenHeight: 3457 },
];

/** Judges a 404 with a text that a client can tell apart. */
export function notFound(t: CheckContext, exchange: Exchange, text: string): void {
  const what = `${exchange.operation} for something that does not exist`;
  judged(t, exchange, what).status(404);
  judged(t, exchange, `the answer to ${what}`).member('detail', text);
}

/** Judges that a task is shown the way lists show it. */
export function listed(t: CheckContext, exchange: Exchange, task: JsonObject): void {
  const extra = ['steps', 'outputFiles'].filter((member) => member in task);
  t.expect(extra.length === 0, {
    exchange,
    message: `a V2 task in a list has ${extra.join(' and ')}; expected neither`,
  });
}

interface OwnList {
  lists: SessionLists;
  own: keyof SessionLists;
  other: keyof SessionLists;
}

/** Judges that something stands in the list of its own status alone. */
export function inOwnList(t: CheckContext, id: string, { lists, own, other }: OwnList): void {
  const ids = (pages: readonly Exchange[]): string[] => idsOf(itemsOfAll(pages, 'items'));
  const first = (pages: readonly Exchange[]): Exchange | undefined => pages[0];
  const here = `the list of what is ${own} does not show what is`;
  t.expect(ids(lists[own]).includes(id), { exchange: first(lists[own]), message: here });
  const there = `the list of what is ${other} shows what is ${own}`;
  t.expect(!ids(lists[other]).includes(id), { exchange: first(lists[other]), message: there });
  for (const word of [own, other]) {
    const wrong = itemsOfAll(lists[word], 'items').find(({ status }) => textOf(status) !== word);
    const message = `the list of what is ${word} shows one that is ${show(wrong?.['status'])}`;
    t.expect(wrong === undefined, { exchange: first(lists[word]), message });
  }
}

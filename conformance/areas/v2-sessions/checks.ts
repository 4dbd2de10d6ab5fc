import { wrongScreens, notFound, listed, inOwnList, expectPage, listIds, judged } from '../../common/judgement.ts';
import { type Check, check } from '../../core/check.ts';
import { memberAt } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { listItems } from '../../common/followed-pages.ts';
import { taskProbe } from '../../common/probe-bodies.ts';
import { taskSession } from '../v2-tasks/scenarios.ts';
import { taskSessionStop } from './scenarios.ts';
import { show } from '../../core/text.ts';

/** Checks of V2 sessions. */
export const taskSessionChecks: readonly Check[] = [
  check('V2-SES-01', { needs: [taskSession, taskSessionStop] }, async (t) => {
    const { created, fetched } = await t.recording(taskSession);
    judged(t, created, 'creation of a V2 session').status(201);
    for (const exchange of [created, fetched]) {
      for (const member of ['keepAlive', 'persistMemory']) judged(t, exchange, 'a V2 session').member(member, true);
    }
    const named = await t.recording(taskSessionStop);
    for (const exchange of [named.created, named.working])
      judged(t, exchange, 'a V2 session that was created with persistMemory false').member('persistMemory', false);
  }),
  check('V2-SES-02', { needs: [taskSession] }, async (t) => {
    const { lists, fetched, id } = await t.recording(taskSession);
    t.expect(listItems(fetched, 'tasks').length === 0 && Array.isArray(memberAt(fetched.json, 'tasks')), {
      exchange: fetched,
      message: `a new V2 session has the tasks ${show(memberAt(fetched.json, 'tasks'))}; expected an empty list`,
    });
    const shown = listItems(lists.session, 'tasks');
    judged(t, lists.session, 'the V2 session').ids({
      shown: listIds(shown),
      want: listIds(listItems(lists.all, 'items')),
    });
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

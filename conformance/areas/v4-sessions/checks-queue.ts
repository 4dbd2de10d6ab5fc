import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { isJsonObject, memberAt, toText, isSame } from '../../core/json.ts';
import { listItems } from '../../common/followed-pages.ts';
import type { RanMessage } from '../../common/message-queue.ts';
import { runQueue } from './scenarios-queue.ts';
import { show } from '../../core/text.ts';
import { listIds, judged } from '../../common/judgement.ts';

/** Checks of the message queue of V4 sessions. */
export const runQueueChecks: readonly Check[] = [
  check('V4-QUEUE-01', { needs: [runQueue] }, async (t) => {
    const { idle } = await t.recording(runQueue);
    judged(t, idle.sent, 'a message to an idle V4 session').status(200);
    took(t, idle, 'an idle V4 session');
  }),
  check('V4-QUEUE-02', { needs: [runQueue] }, async (t) => {
    const { waiting } = await t.recording(runQueue);
    for (const exchange of [waiting.one, waiting.two]) {
      judged(t, exchange, 'a message to a busy V4 session').status(200);
      judged(t, exchange, 'a message to a busy V4 session').member('status', 'pending');
      judged(t, exchange, 'a message that waits').member('runId', null);
    }
  }),
  check('V4-QUEUE-03', { needs: [runQueue] }, async (t) => {
    const { waiting, ran } = await t.recording(runQueue);
    const want = [waiting.one, waiting.two].map(({ json }) => memberAt(json, 'id') ?? null);
    const shown = listItems(waiting.queue, 'queue').map(({ id = null }) => id);
    const message = `the queue shows the messages ${show(shown)}; expected ${show(want)}`;
    t.expect(isSame(shown, want), { exchange: waiting.queue, message });
    judged(t, ran.queue, 'the queue of a V4 session in which no message waits').member('queue', []);
  }),
  check('V4-QUEUE-04', { needs: [runQueue] }, async (t) => {
    const { ran } = await t.recording(runQueue);
    for (const message of [ran.one, ran.two]) took(t, message, 'a V4 session whose run has ended');
    const [one, two] = [ran.one, ran.two].map(({ run }) => toText(memberAt(run?.json, 'createdAt')));
    const message = `two messages ran at ${one} and ${two}; expected the first one first`;
    t.expect(Date.parse(one ?? '') <= Date.parse(two ?? ''), { exchange: ran.two.run ?? ran.two.message, message });
  }),
  check('V4-QUEUE-05', { needs: [runQueue] }, async (t) => {
    const { sent, before, message } = (await t.recording(runQueue)).interrupted;
    judged(t, sent, 'a message that interrupts').status(200);
    judged(t, before, 'the V4 run that a message has interrupted').member('status', 'cancelled');
    took(t, message, 'a V4 session that was interrupted');
  }),
  check('V4-QUEUE-06', { needs: [runQueue] }, async (t) => {
    const { takenBack, runs } = await t.recording(runQueue);
    judged(t, takenBack.answer, 'DELETE of a pending message').status(200);
    judged(t, takenBack.answer, 'a message that is taken back').member('status', 'cancelled');
    const id = toText(memberAt(takenBack.sent.json, 'id'));
    const left = listIds(listItems(takenBack.queue, 'queue')).includes(id);
    t.expect(!left, {
      exchange: takenBack.queue,
      message: `the queue shows the message ${id}, which was taken back; expected that it does not`,
    });
    const text = memberAt(takenBack.sent.json, 'text');
    const ran = listItems(runs, 'runs').some(({ task }) => task === text);
    t.expect(!ran, { exchange: runs, message: 'a message that was taken back has run; expected no run' });
  }),
  check('V4-QUEUE-07', { needs: [runQueue] }, async (t) => {
    const { takenBack, ran } = await t.recording(runQueue);
    judged(t, takenBack.again, 'DELETE of a message that was taken back').status(409);
    judged(t, ran.back, 'DELETE of a message that was consumed').status(409);
  }),
  check('V4-QUEUE-08', { needs: [runQueue] }, async (t) => {
    const { before, refused, after } = (await t.recording(runQueue)).full;
    const waiting = listIds(listItems(before, 'queue'));
    if (waiting.length < 10) t.notTestable(`${waiting.length} messages waited when the next one was sent`);
    const left = listIds(listItems(after, 'queue'));
    if (succeeded(refused) && waiting.some((id) => !left.includes(id)))
      t.notTestable('a message had left the queue before the next one was accepted');
    judged(t, refused, 'a message beyond ten that wait').status(429);
    const message = `the queue held ${show(waiting)} before a refused message and holds ${show(left)}; expected the same`;
    t.expect(isSame(waiting, left), { exchange: after, message });
  }),
  check('V4-QUEUE-09', { needs: [runQueue] }, async (t) => {
    const { takenBack, ran } = await t.recording(runQueue);
    judged(t, takenBack.fetched, 'a message that was taken back').member('status', 'cancelled');
    for (const { message } of [ran.one, ran.two]) {
      judged(t, message, 'a message that has run').member('status', 'consumed');
      const runId = memberAt(message.json, 'runId');
      t.expect(typeof runId === 'string', {
        exchange: message,
        message: `runId of a message that has run is ${show(runId)}; expected the id of its run`,
      });
    }
  }),
  check('V4-QUEUE-10', { needs: [runQueue] }, async (t) => {
    const { waiting, interrupted } = await t.recording(runQueue);
    judged(t, waiting.one, 'a message that waits its turn').member('mode', 'queue');
    judged(t, interrupted.message.message, 'a message that interrupts').member('mode', 'interrupt');
  }),
  check('V4-QUEUE-11', { needs: [runQueue] }, async (t) => {
    const { empty, unknown } = (await t.recording(runQueue)).wrong;
    judged(t, empty, 'a message without text').status(422);
    judged(t, unknown, 'GET of a message that does not exist').status(404);
  }),
  check('V4-QUEUE-12', { needs: [runQueue] }, async (t) => {
    const { waiting, deduplicated } = await t.recording(runQueue);
    const { same, other, queue } = deduplicated;
    // Both waiting messages have the same text as the deduplicated message.
    const own = [waiting.one, waiting.two].map(({ json }) => memberAt(json, 'id'));
    const found = memberAt(same.json, 'id');
    const message = `a message of a text that waits already is answered with ${show(found)}; expected one that waits`;
    t.expect(found !== undefined && own.includes(found), { exchange: same, message });
    const want = listIds([waiting.one, waiting.two, other].map(({ json }) => (isJsonObject(json) ? json : {})));
    judged(t, queue, 'the queue after a message that waits already').ids({
      shown: listIds(listItems(queue, 'queue')),
      want,
    });
  }),
  check('V4-QUEUE-13', { needs: [runQueue] }, async (t) => {
    const { runId, queue } = (await t.recording(runQueue)).interrupted;
    if (memberAt(queue.json, 'steeringCutoffs') === undefined) t.notTestable('the queue shows no steeringCutoffs');
    const shown = listItems(queue, 'steeringCutoffs').map(({ sourceRunId = null }) => sourceRunId);
    const message = `steeringCutoffs names the runs ${show(shown)}; expected ${runId} among them`;
    t.expect(shown.includes(runId), { exchange: queue, message });
  }),
];

/** Judges that a message has started a run with its text. */
function took(t: CheckContext, { message, run }: RanMessage, what: string): void {
  const runId = memberAt(message.json, 'runId');
  const found: Exchange = run ?? message;
  t.expect(run !== undefined, {
    exchange: message,
    message: `runId of a message to ${what} is ${show(runId)}; expected the id of a run that can be fetched`,
  });
  if (run === undefined) return;
  const [text, task] = [toText(memberAt(message.json, 'text')), toText(memberAt(run.json, 'task'))];
  const told = `the message ${show(text)} to ${what} became a run of ${show(task)}`;
  t.expect(text.trim() === task.trim(), { exchange: found, message: told });
}

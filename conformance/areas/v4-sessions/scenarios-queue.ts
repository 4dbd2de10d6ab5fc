import { tryCredentials } from '../../common/credentials.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { memberAt, toText } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { listItems } from '../../common/followed-pages.ts';
import {
  type Queue,
  type RanMessage,
  recordDeletedRun,
  createQueue,
  readMessageId,
  readRunId,
} from '../../common/message-queue.ts';
import { isOver, watchJob } from '../../common/observed-job.ts';
import { notWatchable } from '../../common/open-task-session.ts';
import { beginSlowRun } from './scenarios.ts';

/** The message queue of one V4 session. */
export interface RunQueue {
  /** Two messages that are pending while a run is active, in the order of sending, and the queue with both messages. */
  waiting: { one: Exchange; two: Exchange; queue: Exchange };
  /**
   * Messages with deduplication: one with the text of the first message, and one with another text. `queue` was read
   * before the message with the other text was deleted.
   */
  deduplicated: { same: Exchange; other: Exchange; queue: Exchange };
  /** A third pending message, which the client deletes. */
  takenBack: TakenBack;
  /** Responses to a message without a text, and to the fetch of an unknown message id. */
  wrong: { empty: Exchange; unknown: Exchange };
  interrupted: Interrupt;
  full: FullQueue;
  /**
   * The two messages and their runs after both runs have ended, and the queue then. `back` is the response to deleting
   * the first message after that.
   */
  ran: { one: RanMessage; two: RanMessage; queue: Exchange; back: Exchange };
  /**
   * A message to the idle session. `deleted` shows the run of this message and a pending message after the deletion of
   * the session.
   */
  idle: RanMessage;
  deleted: { run: Exchange; message: Exchange };
  /** Runs of the session before its deletion. */
  runs: Exchange;
}

/** A pending message that the client deleted. */
export interface TakenBack {
  sent: Exchange;
  answer: Exchange;
  queue: Exchange;
  fetched: Exchange;
  again: Exchange;
}

/** A message that interrupts the active run. */
export interface Interrupt {
  sent: Exchange;
  /** The interrupted run after its end. */
  before: Exchange;
  /** The message and its run. */
  message: RanMessage;
  /** Id of the interrupted run; `queue` is the queue after the interruption. */
  runId: string;
  queue: Exchange;
}

/** A queue that holds the maximum number of pending messages. */
export interface FullQueue {
  before: Exchange;
  refused: Exchange;
  after: Exchange;
}

/** Maximum number of pending messages of a queue. */
const pendingMax = 10;

const operations = [
  'v4.getRun',
  'v4.cancelRun',
  'v4.createMessage',
  'v4.listMessages',
  'v4.getMessage',
  'v4.deleteMessage',
  'v4.deleteSession',
  'v4.listRuns',
] as const;

/** Creates one V4 session and sends it messages. Records its queue and runs. */
export const runQueue: Scenario<RunQueue> = {
  name: 'run-queue',
  creates: 'one V4 session with a slow run and messages that wait, interrupt and are taken back',
  spend: 'task',
  dispatches: 5,
  stateful: true,
  unavailable: (target) => notWatchable(target, operations),
  run: (context) => context.live(() => driveQueue(context)),
};

async function driveQueue(context: ScenarioContext): Promise<RunQueue> {
  const { id, created } = await beginSlowRun(context);
  const queue = createQueue(context, toText(memberAt(created.json, 'sessionId')));
  try {
    return await useQueue(context, queue, id);
  } finally {
    // Every run that a message has started ends with the session.
    await context.operations.call('v4.deleteSession', { path: [queue.sessionId] });
    queue.close();
    for (const runId of [id, ...queue.runIds]) await recordDeletedRun(context, runId);
  }
}

async function useQueue(context: ScenarioContext, queue: Queue, runId: string): Promise<RunQueue> {
  const { sessionId } = queue;
  const { succeed, slow } = context.target.tasks;
  const [one, two] = [await queue.send({ text: succeed }), await queue.send({ text: succeed })];
  const waiting = { one, two, queue: await queue.list() };
  const deduplicated = await deduplicate(queue, succeed);
  const takenBack = await takeBack(queue, succeed);
  const unknown = await queue.get('999999999');
  const wrong = { empty: await queue.send({ text: '' }), unknown };
  const interrupted = await interrupt(context, queue, { runId, text: String(slow) });
  const full = await fill(queue, succeed);
  await cancelMessageRun(context, interrupted.message.message);
  const ran = {
    one: await queue.watch(one, { untilOver: true }),
    two: await queue.watch(two, { untilOver: true }),
    queue: await queue.list(),
    back: await queue.takeBack(readMessageId(one)),
  };
  const idle = await queue.watch(await queue.send({ text: String(slow) }), { untilOver: false });
  const last = await queue.send({ text: succeed });
  const runs = await context.operations.call('v4.listRuns', { query: { sessionId, limit: 100 } });
  await tryCredentials(context, [
    context.operations.request('v4.createMessage', { path: [sessionId], body: { text: succeed } }),
  ]);
  await context.operations.call('v4.deleteSession', { path: [sessionId] });
  const deleted = { run: await lookAtRun(context, idle), message: await queue.get(readMessageId(last)) };
  return { waiting, deduplicated, takenBack, wrong, interrupted, full, ran, idle, deleted, runs };
}

async function deduplicate(queue: Queue, text: string): Promise<RunQueue['deduplicated']> {
  const once = { 'X-V4-Queue-Deduplicate': 'exact-text-v1' };
  const same = await queue.send({ text }, { headers: once });
  const other = await queue.send({ text: `${text} (another)` }, { headers: once });
  const list = await queue.list();
  const waiting = new Set(listItems(list, 'queue').map(({ id }) => toText(id)));
  if (waiting.has(readMessageId(other))) await queue.takeBack(readMessageId(other));
  return { same, other, queue: list };
}

async function takeBack(queue: Queue, text: string): Promise<TakenBack> {
  const sent = await queue.send({ text: `${text} (taken back)` });
  const answer = await queue.takeBack(readMessageId(sent));
  const [list, fetched] = [await queue.list(), await queue.get(readMessageId(sent))];
  return { sent, answer, queue: list, fetched, again: await queue.takeBack(readMessageId(sent)) };
}

async function interrupt(
  context: ScenarioContext,
  queue: Queue,
  { runId, text }: { runId: string; text: string },
): Promise<Interrupt> {
  const running = await context.jobs.run.look(runId);
  if (isOver(running)) throw new NotTestable('the slow run had ended before a message could interrupt it');
  const sent = await queue.send({ text, interrupt: true });
  await watchJob(context, context.jobs.run, {
    id: runId,
    until: isOver,
    deadlineMs: context.target.polling.settleDeadlineMs,
  });
  const before = (await context.jobs.run.look(runId)).exchange;
  const message = await queue.watch(sent, { untilOver: false });
  return { sent, before, message, runId, queue: await queue.list() };
}

/**
 * Sends messages until `pendingMax` messages wait, and then one more message. Deletes the messages that it has sent.
 */
async function fill(queue: Queue, text: string): Promise<FullQueue> {
  const own: Exchange[] = [];
  const waiting = listItems(await queue.list(), 'queue').length;
  for (let count = waiting; count < pendingMax; count += 1) own.push(await queue.send({ text: `${text} #${count}` }));
  const before = await queue.list();
  const refused = await queue.send({ text: `${text} beyond` }, { beyond: true });
  const after = await queue.list();
  for (const sent of [...own, refused].filter((exchange) => succeeded(exchange)))
    await queue.takeBack(readMessageId(sent));
  return { before, refused, after };
}

async function cancelMessageRun(context: ScenarioContext, message: Exchange): Promise<void> {
  const id = readRunId(message);
  if (id === undefined) return;
  await context.operations.call('v4.cancelRun', { path: [id] });
  await watchJob(context, context.jobs.run, { id, until: isOver, deadlineMs: context.target.polling.settleDeadlineMs });
}

/** Fetches the run of a message after the session was deleted. Throws NotTestable if the message names no run. */
async function lookAtRun(context: ScenarioContext, { message }: RanMessage): Promise<Exchange> {
  const runId = readRunId(message);
  if (runId === undefined) throw new NotTestable('the message to the idle session names no run');
  return context.operations.call('v4.getRun', { path: [runId] });
}

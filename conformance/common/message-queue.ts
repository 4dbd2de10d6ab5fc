import { costBound } from '../ledger/cost-bound.ts';
import { toDecimal, formatDecimal, timesDecimal } from '../core/decimal.ts';
import type { Exchange } from '../core/exchange.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, toText } from '../core/json.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import { NotTestable } from '../core/outcome.ts';
import type { ScenarioContext } from '../core/scenario.ts';

/** A message and its run; the run is undefined if the message has no run id. */
export interface RanMessage {
  sent: Exchange;
  message: Exchange;
  run: Exchange | undefined;
}

/** Returns the message id in the response to a sent message. Throws NotTestable if the response has no id. */
export function readMessageId(sent: Exchange): string {
  const id = identifier(memberAt(sent.json, 'id'));
  if (id === undefined) throw new NotTestable(`a message answered ${sent.status} without an id`);
  return id;
}

/** Options for sending a message. */
export interface SendOptions {
  /** True for a message that the queue may refuse because it is full: a 429 is then a response to judge. */
  beyond?: boolean;
  headers?: Record<string, string>;
}

/** The message queue of one V4 session. */
export interface Queue {
  sessionId: string;
  /** Ids of the runs that messages have named. */
  runIds: ReadonlySet<string>;
  send(body: JsonObject, options?: SendOptions): Promise<Exchange>;
  list(): Promise<Exchange>;
  get(id: string): Promise<Exchange>;
  takeBack(id: string): Promise<Exchange>;
  /** Releases the budget that is reserved for runs. Call it after the session is deleted. */
  close(): void;
  /**
   * Polls a message and its run. Ends when the run has started or, with `untilOver`, has ended, or when the task
   * deadline has passed.
   */
  watch(sent: Exchange, until: { untilOver: boolean }): Promise<RanMessage>;
}

/** Creates the client of a V4 session's queue. The ledger records every run that a watched message names. */
export function createQueue(context: ScenarioContext, sessionId: string): Queue {
  const { target } = context;
  const runIds = new Set<string>();
  const pot = createPot(context);
  const get = (id: string): Promise<Exchange> => context.operations.call('v4.getMessage', { path: [sessionId, id] });
  return {
    sessionId,
    runIds,
    send: async (body, { beyond = false, headers = {} } = {}) => {
      await pot.fill();
      return context.operations.call('v4.createMessage', {
        path: [sessionId],
        body,
        headers,
        invalid: body['text'] === '',
        overload: beyond,
      });
    },
    close: () => pot.empty(),
    list: () => context.operations.call('v4.listMessages', { path: [sessionId] }),
    get,
    takeBack: (id) => context.operations.call('v4.deleteMessage', { path: [sessionId, id] }),
    watch: async (sent, { untilOver }) => {
      const deadline = context.nowMs() + target.polling.taskDeadlineMs;
      for (;;) {
        const message = await get(readMessageId(sent));
        const seen = { sent, message, run: await readRun({ context, message, runIds, pot }) };
        if (settled(seen.run, untilOver) || context.nowMs() > deadline) return seen;
        await context.pause(target.polling.intervalMs);
      }
    },
  };
}

const overWords = ['completed', 'failed', 'cancelled'];

function settled(run: Exchange | undefined, untilOver: boolean): boolean {
  const status = isJsonObject(run?.json) ? toText(run.json['status']) : '';
  return overWords.includes(status) || (!untilOver && status === 'running');
}

/**
 * Budget that a queue reserves for the runs that its messages start. It is reserved in advance, because a message has
 * no cost ceiling and the service starts its run without a further request.
 */
interface Pot {
  fill(): Promise<void>;
  /**
   * Removes the share of one run from the reserved budget. Returns this share: the maximum cost of one run in US
   * dollars.
   */
  take(): string;
  empty(): void;
}

/** Number of runs for which one queue reserves budget. */
const messageRuns = 4;

function createPot({ ledger, budget, target }: ScenarioContext): Pot {
  const each = costBound(target, 'run');
  let entry: LedgerEntry | undefined;
  let left = messageRuns;
  const worth = (): string => formatDecimal(timesDecimal(toDecimal(each), left));
  return {
    fill: async () => {
      if (entry !== undefined) return;
      entry = ledger.request({ kind: 'run', generation: 'v4', createdBy: 'createMessage' });
      // The entry stands for resources that may be created later; no request for it is pending.
      ledger.update(entry, { state: 'refused' });
      await budget.reserve(entry, worth());
      ledger.update(entry, { state: 'live' });
    },
    take: () => {
      left = Math.max(0, left - 1);
      if (entry !== undefined) ledger.update(entry, { boundUsd: worth() });
      return each;
    },
    empty: () => {
      if (entry !== undefined) ledger.update(entry, { state: 'refused' });
    },
  };
}

interface RunOfInput {
  context: ScenarioContext;
  message: Exchange;
  runIds: Set<string>;
  pot: Pot;
}

/** Reads the run that a message names and records it in the ledger; returns undefined if the message names no run. */
async function readRun({ context, message, runIds, pot }: RunOfInput): Promise<Exchange | undefined> {
  const id = readRunId(message);
  if (id === undefined) return undefined;
  runIds.add(id);
  if (context.ledger.find('run', id) === undefined) {
    const entry = context.ledger.request({ kind: 'run', generation: 'v4', createdBy: 'createMessage' });
    context.ledger.update(entry, { state: 'live', id, boundUsd: pot.take() });
  }
  return (await context.jobs.run.look(id)).exchange;
}

/** Returns the run id in a message; undefined without one. */
export function readRunId(message: Exchange): string | undefined {
  const id = memberAt(message.json, 'runId');
  return typeof id === 'string' ? id : undefined;
}

/**
 * Records the end of a run that was deleted with its session, if the fetch of the run is answered with 404. Such a run
 * can no longer be cancelled.
 */
export async function recordDeletedRun(context: ScenarioContext, runId: string): Promise<void> {
  const entry = context.ledger.find('run', runId);
  if (entry?.state !== 'live') return;
  const { status } = await context.operations.call('v4.getRun', { path: [runId] });
  if (status === 404) context.ledger.update(entry, { state: 'ended' });
}

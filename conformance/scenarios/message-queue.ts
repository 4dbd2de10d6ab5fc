import type { Exchange } from '../harness/exchange.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, textOf } from '../harness/json.ts';
import { NotTestable } from '../harness/outcome.ts';
import type { Drive } from '../harness/scenario.ts';

/** A message and the run that took it; the run is undefined where the message names none. */
export interface RanMessage {
  sent: Exchange;
  message: Exchange;
  run: Exchange | undefined;
}

/** The id of a message. Throws NotTestable where its answer carries none. */
export function messageIdOf(sent: Exchange): string {
  const id = identifier(memberAt(sent.json, 'id'));
  if (id === undefined) throw new NotTestable(`a message answered ${sent.status} without an id`);
  return id;
}

/** How a message is sent. */
export interface SendOptions {
  /** True where more is sent than the queue may take: a 429 is then an answer to judge. */
  beyond?: boolean;
  headers?: Record<string, string>;
}

/** The queue of one V4 session. */
export interface Queue {
  sessionId: string;
  /** Runs that messages have named. */
  runIds: ReadonlySet<string>;
  send(body: JsonObject, options?: SendOptions): Promise<Exchange>;
  list(): Promise<Exchange>;
  get(id: string): Promise<Exchange>;
  takeBack(id: string): Promise<Exchange>;
  /** Looks at a message until it has a run that works, or that has ended. */
  watch(sent: Exchange, until: { untilOver: boolean }): Promise<RanMessage>;
}

/** The queue of a V4 session; the ledger owns every run that a message has become. */
export function createQueue(drive: Drive, sessionId: string): Queue {
  const { target } = drive;
  const runIds = new Set<string>();
  const get = (id: string): Promise<Exchange> => drive.operations.call('v4.getMessage', { path: [sessionId, id] });
  return {
    sessionId,
    runIds,
    send: (body, { beyond = false, headers = {} } = {}) =>
      drive.operations.call('v4.createMessage', {
        path: [sessionId],
        body,
        headers,
        invalid: body['text'] === '',
        overload: beyond,
      }),
    list: () => drive.operations.call('v4.listMessages', { path: [sessionId] }),
    get,
    takeBack: (id) => drive.operations.call('v4.deleteMessage', { path: [sessionId, id] }),
    watch: async (sent, { untilOver }) => {
      const deadline = drive.nowMs() + target.polling.taskDeadlineMs;
      for (;;) {
        const message = await get(messageIdOf(sent));
        const seen = { sent, message, run: await runOf(drive, message, runIds) };
        if (settled(seen.run, untilOver) || drive.nowMs() > deadline) return seen;
        await drive.pause(target.polling.intervalMs);
      }
    },
  };
}

const overWords = ['completed', 'failed', 'cancelled'];

function settled(run: Exchange | undefined, untilOver: boolean): boolean {
  const status = isJsonObject(run?.json) ? textOf(run.json['status']) : '';
  return overWords.includes(status) || (!untilOver && status === 'running');
}

/** A look at the run that a message names, which the ledger then owns; undefined where it names none. */
async function runOf(drive: Drive, message: Exchange, runIds: Set<string>): Promise<Exchange | undefined> {
  const id = runIdOf(message);
  if (id === undefined) return undefined;
  runIds.add(id);
  if (drive.ledger.find('run', id) === undefined) {
    const entry = drive.ledger.request({ kind: 'run', generation: 'v4', createdBy: 'createMessage' });
    drive.ledger.update(entry, { state: 'live', id });
  }
  return (await drive.jobs.run.look(id)).exchange;
}

/** The run that a message names; undefined where it names none. */
export function runIdOf(message: Exchange): string | undefined {
  const id = memberAt(message.json, 'runId');
  return typeof id === 'string' ? id : undefined;
}

/** Books the end of a run that went with its session, which no cancel could find any more. */
export async function bookGone(drive: Drive, runId: string): Promise<void> {
  const entry = drive.ledger.find('run', runId);
  if (entry?.state !== 'live') return;
  const { status } = await drive.operations.call('v4.getRun', { path: [runId] });
  if (status === 404) drive.ledger.update(entry, { state: 'ended' });
}

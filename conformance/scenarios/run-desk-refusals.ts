import { type Exchange, succeeded } from '../harness/exchange.ts';
import { type JsonObject, memberAt } from '../harness/json.ts';
import { NotTestable } from '../harness/outcome.ts';
import { createRandom, randomUuid } from '../harness/random.ts';
import type { Drive } from '../harness/scenario.ts';
import { runProbe } from './probe-bodies.ts';
import { createShelf } from './shelf.ts';

/** Answers to what a V4 session must not take. */
export interface RefusedRequests {
  /** A run with 21 attached files. */
  files: Exchange;
  /** Messages: with 21 attached files, and with a member that no document has. */
  messageFiles: Exchange;
  messageMember: Exchange;
}

/** A run that continues a session in a workspace that is not its own. */
export async function runElsewhere(drive: Drive, sessionId: string): Promise<Exchange> {
  const other = await createShelf(drive, 'v4');
  if (other === undefined) throw new NotTestable('no second workspace was made');
  const body = { ...runProbe(drive.target), sessionId, workspaceId: other.id };
  return drive.operations.probe('run', 'v4.createRun', { body });
}

/** Sends what is out of bounds to a session whose run has ended. */
export async function refuse(drive: Drive, sessionId: string): Promise<RefusedRequests> {
  const random = createRandom(drive.seed + 2);
  const attachedFileIds = Array.from({ length: 21 }, () => randomUuid(random));
  const text = drive.target.tasks.succeed;
  const send = async (body: JsonObject): Promise<Exchange> => {
    const exchange = await drive.operations.call('v4.createMessage', { path: [sessionId], body, invalid: true });
    const runId = memberAt(exchange.json, 'runId');
    // What was not refused has started a run, which the session must not be deleted under.
    if (succeeded(exchange) && typeof runId === 'string')
      await drive.operations.call('v4.cancelRun', { path: [runId] });
    return exchange;
  };
  return {
    files: await drive.operations.probe('run', 'v4.createRun', {
      body: { ...runProbe(drive.target), sessionId, attachedFileIds },
    }),
    messageFiles: await send({ text, attachedFileIds }),
    messageMember: await send({ text, svcCheckUnknown: true }),
  };
}

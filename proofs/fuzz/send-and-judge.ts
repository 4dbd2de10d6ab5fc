import type { Pool } from 'undici';
import type { FuzzFaults } from './fuzz-faults.ts';
import type { CallRequest, FuzzedRequest, RawRequest } from './fuzzed-request.ts';
import { judgeCall } from './judge-call.ts';
import { sendCall } from './send-call.ts';
import { sendRaw, type RawAnswers } from './send-raw.ts';
import { shrink } from './shrink.ts';
import type { World } from './world.ts';

/** Dependencies of sending requests. */
export interface SenderParts {
  readonly service: { readonly address: string };
  readonly pool: Pool;
  readonly world: World;
  readonly faults: FuzzFaults;
  /** Counts responses by status. */
  readonly statuses: Map<number, number>;
  /** Receives the keys of operations that succeeded. */
  readonly succeeded: Set<string>;
}

/**
 * Creates a function that sends a request, judges the response, learns its ids, and shrinks the first request of each
 * kind of fault.
 */
export function createSender(parts: SenderParts): (request: FuzzedRequest, index: number) => Promise<string[]> {
  const send = (request: FuzzedRequest): Promise<string[]> =>
    request.kind === 'call' ? sendOne(parts, request) : sendBytes(parts, request);
  return async (request, index) => {
    const found = await send(request);
    for (const fault of found) {
      if (!parts.faults.add(request, fault)) continue;
      const start = fault.slice(0, sameStart);
      const smallest = await shrink(request, async (smaller) =>
        (await send(smaller)).some((text) => text.startsWith(start)),
      );
      parts.faults.replace(fault, smallest);
      console.error(`  request ${index}`);
    }
    return found;
  };
}

/** Number of characters by which two messages count as the same kind. */
const sameStart = 30;

async function sendOne({ pool, world, statuses, succeeded }: SenderParts, request: CallRequest): Promise<string[]> {
  const resolved = world.resolve(request);
  const answer = await sendCall(pool, resolved);
  count(statuses, answer.status);
  if (answer.status >= 200 && answer.status < 300) {
    if (request.operation !== null) succeeded.add(request.operation);
    if (answer.json !== undefined) world.learn(request.operation, answer.json);
  }
  return judgeCall(resolved, answer);
}

async function sendBytes({ service, world, statuses }: SenderParts, request: RawRequest): Promise<string[]> {
  const resolved = world.resolve(request);
  const answers = await sendRaw(service.address, resolved);
  for (const { status } of answers.heads) count(statuses, status);
  if (answers.heads.length === 0) count(statuses, 0);
  return judgeRaw(resolved, answers);
}

function count(statuses: Map<number, number>, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

/** Returns everything wrong with the responses on a connection as sentences; empty when nothing is. */
export function judgeRaw({ answers }: RawRequest, { heads, isEnded, isCut }: RawAnswers): string[] {
  const final = heads.filter(({ status }) => status >= 200);
  return [
    ...(isEnded ? [] : ['a connection that had ended its side was not ended']),
    ...final.filter(({ status }) => status >= 500).map(({ status }) => `bytes were answered ${status}`),
    ...final
      .filter(({ text }) => !/\r\nx-request-id: \S/i.test(text))
      .map(({ status }) => `an answer of ${status} to bytes has no request id`),
    ...(answers === null || answers === final.length || (isCut && final.length < answers)
      ? []
      : [`${answers} requests on one connection got ${final.length} answers`]),
  ];
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { isJsonObject, toText } from '#conformance/core/json.ts';
import { createDraw } from '../draw.ts';
import { createCall } from '../service/call-service.ts';
import { plannerModel } from './entries/task-bodies.ts';
import {
  type EntryPoint,
  type SendInput,
  type Measurement,
  type WatchedService,
  startWatchedService,
} from './watched-service.ts';
import type { Poll, PollOrder, PollReport } from './poller.ts';
import { isOffender, type Offender, type Tally } from './tally.ts';

/** Options of a run that sends worst-case inputs to one entry point. */
export interface StallOptions {
  readonly entry: EntryPoint;
  readonly seed: number;
  /** Number of the first input to send. */
  readonly from: number;
  readonly inputs: number;
  /** Time in `performance.now()` after which no input is sent. */
  readonly until: number;
  /** Called with each input that exceeds a limit or gets no response. */
  readonly onOffender: (offender: Offender) => void;
}

const pollEveryMs = 5;
/** Deadline of an input in ms. An input that takes longer counts as unanswered. */
const inputMs = 25_000;
/**
 * Maximum number of repetitions of an input that exceeds a limit. Repetitions exclude the effects of garbage collection
 * and module loading, which are no property of the input.
 */
const timesAgain = 2;
/** Number of warm-up inputs. Their seeds differ from those of the measured inputs. */
const warmInputs = 3;

/**
 * Sends inputs to one entry point of a new service. A service that does not respond, or has ended, is replaced.
 * Meanwhile, a client of another project polls the service.
 */
export async function runStalls(options: StallOptions): Promise<Tally> {
  const { entry, seed, from, inputs, until, onOffender } = options;
  const results = new Map<string, number>();
  const offenders: Offender[] = [];
  const polls: Poll[] = [];
  let [worstMs, worstBusyMs, worstMib, delayMs, sent] = [0, 0, 0, 0, 0];
  let run = await startRun(entry, seed);
  try {
    for (let number = from; number < from + inputs && performance.now() < until; number += 1) {
      const found = await judgeInput(run, { seed: inputSeed(entry, seed, number) });
      sent += 1;
      results.set(found.result, (results.get(found.result) ?? 0) + 1);
      const { measured } = found;
      if (measured === null || isOffender(measured)) {
        const offender = { entry: entry.name, number, result: found.result, measured };
        offenders.push(offender);
        onOffender(offender);
      }
      const unanswered = { blockedMs: inputMs, busyMs: 0, grownMib: 0, delayMs };
      const { blockedMs, busyMs, grownMib, delayMs: latestMs } = measured ?? unanswered;
      [worstMs, worstBusyMs] = [Math.max(worstMs, blockedMs), Math.max(worstBusyMs, busyMs)];
      [worstMib, delayMs] = [Math.max(worstMib, grownMib), latestMs];
      if (measured !== null && run.service.isRunning()) continue;
      polls.push(...(await endRun(run)));
      run = await startRun(entry, seed);
    }
  } finally {
    polls.push(...(await endRun(run)));
  }
  return { entry: entry.name, sent, results, worstMs, worstBusyMs, worstMib, delayMs, offenders, polls };
}

/** Returns the seed of an input, independent of earlier inputs. */
function inputSeed({ name }: EntryPoint, seed: number, number: number): number {
  let hash = seed + Math.imul(number + 1, 0x9e37_79b1);
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x0100_0193);
  return hash >>> 0;
}

interface Run {
  readonly service: WatchedService;
  readonly send: SendInput;
  readonly poller: ChildProcess;
}

async function startRun(entry: EntryPoint, seed: number): Promise<Run> {
  const service = await startWatchedService(entry.service ?? 'simulated');
  try {
    const send = await entry.open(service);
    for (let number = 1; number <= warmInputs; number += 1)
      await within(send(createDraw(inputSeed(entry, seed + 1, -1 - number))), inputMs);
    return { service, send, poller: await startPoller(service) };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Ends the service and returns the response times of its poller. */
async function endRun({ service, poller }: Run): Promise<readonly Poll[]> {
  try {
    poller.send('end');
    const [report]: PollReport[] = await Promise.race([once(poller, 'message'), once(poller, 'exit').then(() => [])]);
    return report === undefined ? [] : report.polls.flatMap(asPolled);
  } finally {
    poller.kill();
    await service.close();
  }
}

/**
 * Corrects a poll for coordinated omission. Returns the poll, and a further poll for each interval of `pollEveryMs`
 * that passed while its response was pending. The time of a further poll is the rest of the wait. Returns at most
 * 10,000 polls.
 */
function asPolled({ ms, waitedMs }: Poll): Poll[] {
  const polls = [{ ms, waitedMs }];
  for (let rest = ms - pollEveryMs; rest > pollEveryMs && polls.length < 10_000; rest -= pollEveryMs)
    polls.push({ ms: rest, waitedMs: Math.min(rest, waitedMs) });
  return polls;
}

/** Starts a polling client of another project in a child process, and waits for its first poll. */
async function startPoller({ address, pid, otherKey }: WatchedService): Promise<ChildProcess> {
  const call = createCall({ address: () => address, key: otherKey });
  const { json } = await call('POST', 'v4/runs', { task: 'Say hello', ...plannerModel.v4 });
  const session = isJsonObject(json) ? toText(json['sessionId']) : '';
  const poller = fork('proofs/stalls/poller.ts', { stdio: 'inherit' });
  const order: PollOrder = {
    address,
    pid,
    path: `/api/v4/sessions/${session}`,
    headers: { 'x-service-api-key': otherKey },
    everyMs: pollEveryMs,
  };
  const begun = Promise.race([once(poller, 'message'), once(poller, 'exit')]);
  poller.send(order);
  await begun;
  return poller;
}

interface Judged {
  readonly result: string;
  /**
   * Minimum of each figure over all attempts; only `delayMs` is that of the latest attempt. Null when the service did
   * not respond.
   */
  readonly measured: Measurement | null;
}

/**
 * Sends an input, and repeats the input up to `timesAgain` times while the lowest measurement still exceeds a limit.
 */
async function judgeInput({ service, send, poller }: Run, { seed }: { readonly seed: number }): Promise<Judged> {
  let least: Judged = await measureInput({ service, poller }, () => send(createDraw(seed)), false);
  for (let time = 0; time < timesAgain && least.measured !== null && isOffender(least.measured); time += 1) {
    const again = await measureInput({ service, poller }, () => send(createDraw(seed)), true);
    if (again.measured === null) return again;
    const { blockedMs, busyMs, grownMib } = least.measured;
    least = {
      result: again.result,
      measured: {
        delayMs: again.measured.delayMs,
        blockedMs: Math.min(blockedMs, again.measured.blockedMs),
        busyMs: Math.min(busyMs, again.measured.busyMs),
        grownMib: Math.min(grownMib, again.measured.grownMib),
      },
    };
  }
  return least;
}

async function measureInput(
  { service, poller }: Pick<Run, 'service' | 'poller'>,
  send: () => Promise<string>,
  isThorough: boolean,
): Promise<Judged> {
  try {
    // `begin` may collect garbage, which delays responses. So polls during this phase are not recorded.
    poller.send('preparing');
    await service.begin(isThorough);
    poller.send('ready');
    const result = await within(send(), inputMs);
    return { result, measured: await service.end(inputMs) };
  } catch (error) {
    return { result: error instanceof Error ? error.message : String(error), measured: null };
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not dealt with in ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

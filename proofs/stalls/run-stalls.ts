import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { isJsonObject, textOf } from '../../conformance/core/json.ts';
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

/** What is sent to an entry point. */
export interface StallOptions {
  readonly entry: EntryPoint;
  readonly seed: number;
  /** The first of its inputs that is sent, and how many are. */
  readonly from: number;
  readonly inputs: number;
  /** No input is sent after this moment of `performance.now()`. */
  readonly until: number;
  /** Told of each offender as it is found. */
  readonly onOffender: (offender: Offender) => void;
}

const pollEveryMs = 5;
/** An input that keeps the service busy for longer counts as one that never ends. */
const inputMs = 25_000;
/** What takes too long once is sent again: a collection of garbage or a module that is loaded is no property of an input. */
const timesAgain = 2;
/** Inputs of other seeds that are sent first, so that what an entry point needs is loaded. */
const warmInputs = 3;

/** Sends inputs to one entry point of a service of its own, while a client of another project polls it. */
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

/** The same for one input whatever was sent before it. */
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

/** Ends it and returns how long the answers to its poller took. */
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

/** Polls that were due while one waited have waited as well, each for the rest of its time. */
function asPolled({ ms, waitedMs }: Poll): Poll[] {
  const polls = [{ ms, waitedMs }];
  for (let rest = ms - pollEveryMs; rest > pollEveryMs && polls.length < 10_000; rest -= pollEveryMs)
    polls.push({ ms: rest, waitedMs: Math.min(rest, waitedMs) });
  return polls;
}

/** A client of another project, in a process of its own. */
async function startPoller({ address, pid, otherKey }: WatchedService): Promise<ChildProcess> {
  const call = createCall({ address: () => address, key: otherKey });
  const { json } = await call('POST', 'v4/runs', { task: 'Say hello', ...plannerModel.v4 });
  const session = isJsonObject(json) ? textOf(json['sessionId']) : '';
  const poller = fork('proofs/stalls/poller.ts', { stdio: 'inherit' });
  const order: PollOrder = {
    address,
    pid,
    path: `/api/v4/sessions/${session}`,
    headers: { 'x-service-api-key': otherKey },
    everyMs: pollEveryMs,
  };
  poller.send(order);
  return poller;
}

interface Judged {
  readonly result: string;
  /** The least that it did in several times; null when the service did not react any more. */
  readonly measured: Measurement | null;
}

/** Sends an input, and sends it again while it does too much. */
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
    // Garbage is collected first: polls meanwhile would measure that.
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

import { type Cdp, type CdpLog, createCdp } from '../transport/cdp/index.ts';
import { createAnswerBudget } from '../transport/answer-limits.ts';
import { answerSchemas as answers } from '../core/answer-schemas.ts';
import { bookedSend } from '../ledger/booked-send.ts';
import { createBrowserApi } from '../ledger/browser-api.ts';
import { createClient } from '../transport/client.ts';
import { createBrake } from '../core/exchange.ts';
import { type Hide, createHide } from '../transport/hide.ts';
import { createControlClock } from '../transport/control.ts';
import { createGate } from '../transport/gate.ts';
import { createControlFaults } from '../transport/control-faults.ts';
import { type Ledger, createLedger } from '../ledger/ledger.ts';
import { unlike } from '../transport/manners.ts';
import { createRandom, hashOf } from '../core/random.ts';
import { type Recorder, createRecorder } from '../core/recorder.ts';
import { readReplayToken } from '../core/replay-token.ts';
import type { Drive } from '../core/scenario.ts';
import { contractSchemas as schemas } from '../core/schemas.ts';
import { createJobApi } from '../ledger/job-api.ts';
import { createOperationApi } from '../ledger/operation-api.ts';
import { createSessionApi } from '../ledger/session-api.ts';
import { createPurse } from '../ledger/purse.ts';
import { type Seen, createSeen } from '../transport/seen.ts';
import type { Surroundings } from '../transport/surroundings.ts';
import { createStubReader } from '../transport/stub-reader.ts';
import { createThings } from '../ledger/things.ts';
import { withStamp } from '../transport/stamp.ts';
import { createThrottle } from '../transport/throttle.ts';
import { limitOf } from './limit-of.ts';
import { type RunSettings, paceOf } from './options.ts';
import { addressOf, placeOf } from '../provider-stub/index.ts';
import { findRequirement } from '../core/requirement.ts';

/** The shared parts of one run. */
export interface Workshop {
  recorder: Recorder;
  ledger: Ledger;
  /** What a scenario or check works with; its exchanges are recorded under the name. `allowance` is 0 unless it is given. */
  drive(sentBy: string, allowance?: number): Drive;
}

/** What a workshop is made from. */
export interface WorkshopOptions {
  settings: RunSettings;
  /** @defaultValue an empty one */
  recorder?: Recorder;
  /** Ends everything that is under way; its reason is a NotRun. */
  signal: AbortSignal;
  /** The one matrix cell that is wanted (replay). */
  onlyCell?: string | undefined;
  /** Ends the run before it would spend more than its limit. */
  onCostLimit?: (reason: string) => void;
}

/** Builds the shared parts of one run. */
export function createWorkshop(options: WorkshopOptions): Workshop {
  const { settings, signal, onlyCell, recorder = createRecorder(), onCostLimit = () => undefined } = options;
  const { surroundings } = settings;
  const { elapsedMs, stamp } = surroundings;
  const target = withStamp(settings.target, stamp);
  const ledger = createLedger(settings.onLedger);
  const purse = createPurse({ ledger, limitUsd: limitOf(settings), onEmpty: onCostLimit });
  const throttle = createThrottle({ ...paceOf(settings), signal });
  const live = createThrottle({ ratePerSecond: 0, concurrency: target.limits.sessionsAtOnce });
  const hide = createHide(settings);
  const waitOut = (ms: number): Promise<void> => waitFor(ms, surroundings, signal);
  const ways = { throttle, gate: createGate(), pause: waitOut, signal };
  const chosen = choicesOf(settings);
  const answerBudget = createAnswerBudget();
  const client = { ...settings, ...ways, answerBudget, target, schemas, recorder, hide, elapsedMs, stamp };
  return {
    recorder,
    ledger,
    drive: (sentBy, allowance = 0) => {
      const random = createRandom(settings.seed ^ hashOf(`${sentBy} waits`));
      const seen = createSeen(recorder);
      const plain = seen.through(createClient(client, sentBy));
      const pause = seen.paused(waitOut);
      const brake = findRequirement(sentBy) === undefined ? {} : { brake: createBrake() };
      const things = createThings({
        by: sentBy,
        ...brake,
        target,
        ledger,
        send: plain,
        purse,
        otherApiKey: settings.otherApiKey,
        pause,
        nowMs: seen.nowMs,
      });
      const send = bookedSend(plain, things);
      const parts = { target, send, things, ledger, purse };
      return {
        ...chosen,
        target,
        stamp,
        ...wordsOf(sentBy, surroundings, recorder),
        nowMs: seen.nowMs,
        send,
        things,
        ledger,
        purse,
        recorder,
        schemas,
        answers,
        operations: createOperationApi({ ...parts, answers }),
        sessions: createSessionApi(parts),
        jobs: { task: createJobApi('task', parts), run: createJobApi('run', parts) },
        browsers: createBrowserApi(parts),
        cdp: cdpOf(sentBy, { settings, recorder, seen, hide, signal, send }),
        ...controlsOf(target, send),
        onlyCell,
        allowance,
        live,
        // Shards of one plan would otherwise look at the same moments.
        pause: (ms) => pause(unlike(ms, random())),
      };
    },
  };
}

/** What whoever runs the suite has chosen, as scenarios and checks see it. */
function choicesOf({ replay, ...settings }: RunSettings) {
  const { apiKey, otherApiKey, seed, matrix, readOnly, propertyRuns, profile, statefulRuns } = settings;
  const replayed = replay === undefined ? undefined : readReplayToken(replay);
  return { apiKey, otherApiKey, seed, matrix, readOnly, propertyRuns, profile, statefulRuns, replayed };
}

// What an operator can open beside the service itself.
function controlsOf(
  { control, providerStub: stub }: RunSettings['target'],
  send: Drive['send'],
): Pick<Drive, 'clock' | 'faults' | 'providerStub'> {
  const providerStub = stub === null ? undefined : createStubReader(addressOf(placeOf(stub.listen)), send);
  if (control === null) return { clock: undefined, faults: undefined, providerStub };
  return { clock: createControlClock(control, send), faults: createControlFaults(control, send), providerStub };
}

/** What the automation clients of one drive are made from. */
interface CdpParts {
  settings: RunSettings;
  recorder: Recorder;
  seen: Seen;
  hide: Hide;
  signal: AbortSignal;
  send: Drive['send'];
}

function cdpOf(sentBy: string, { settings, recorder, seen, hide, signal, send }: CdpParts): Cdp {
  const { surroundings } = settings;
  const connectors = surroundings.connectors?.(sentBy) ?? settings.connectors;
  const add: CdpLog['add'] = (outcome) => {
    recorder.addCdp(outcome);
    seen.note(outcome.atMs);
  };
  const log = { sentBy, elapsedMs: surroundings.elapsedMs, hide, add };
  return createCdp({ ...settings, connectors, send, signal, log });
}

// A number in each, because a try that failed may have left the one before it somewhere.
function wordsOf(sentBy: string, { secret, stamp }: Surroundings, recorder: Recorder): Pick<Drive, 'secret' | 'mark'> {
  const made = { secrets: 0, marks: 0 };
  return {
    secret: (purpose) => {
      made.secrets += 1;
      const name = `${sentBy} ${purpose} ${made.secrets}`;
      const value = secret(name, purpose);
      recorder.addSecret(name, value);
      return value;
    },
    mark: () => {
      made.marks += 1;
      return `svc-page-${stamp}-${made.marks}-`;
    },
  };
}

async function waitFor(ms: number, { wait }: Surroundings, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, signal);
  } catch (error) {
    // The timer throws an AbortError; the reason says why the run ends.
    signal.throwIfAborted();
    throw error;
  }
}

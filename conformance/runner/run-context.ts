import { createTaskDeadlines } from '../core/task-deadlines.ts';
import { type CdpLog, createCdp } from '../transport/cdp/index.ts';
import type { Cdp } from '../core/cdp.ts';
import { createAnswerBudget, createServiceWatch } from '../transport/answer-limits.ts';
import { answerSchemas as answers } from '../core/answer-schemas.ts';
import { createLedgerSend, createResources } from '../ledger/resources.ts';
import { createBrowserApi } from '../ledger/browser-api.ts';
import { createClient } from '../transport/client.ts';
import { createCircuitBreaker } from '../core/exchange.ts';
import { type Redact, createRedact } from '../transport/redact.ts';
import { createControlClock, createControlFaults } from '../transport/control.ts';
import { createPauseGate } from '../transport/pause-gate.ts';
import { createLedger } from '../ledger/ledger.ts';
import type { Ledger } from '../core/ledger.ts';
import { addJitter } from '../transport/retry-policy.ts';
import { createRandom, hashText } from '../core/random.ts';
import { type Recorder, createRecorder } from '../core/recorder.ts';
import { readReplayToken } from '../core/replay-token.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { contractSchemas as schemas } from '../core/schemas.ts';
import { createOperationApi } from '../ledger/operation-api.ts';
import { createJobApi } from '../ledger/job-api.ts';
import { createSessionApi } from '../ledger/session-api.ts';
import { createBudget } from '../ledger/budget.ts';
import { type ObservedClock, createObservedClock } from '../transport/observed-clock.ts';
import { type RunEnvironment, readKeyForms } from '../transport/run-environment.ts';
import { createStubReader } from '../provider-stub/stub-reader.ts';
import { withStamp } from '../transport/stamp.ts';
import { createThrottle } from '../transport/throttle.ts';
import { type RunSettings, costLimit } from './settings.ts';
import { requestPace } from './options.ts';
import { formatUrl, parsePlace } from '../provider-stub/index.ts';
import { findRequirement } from '../core/requirement.ts';

/** Objects that all checks and scenarios of one run share. */
export interface RunContext {
  recorder: Recorder;
  ledger: Ledger;
  /**
   * Creates the context of a scenario or check; its exchanges are recorded under the name. `taskBudget` is 0 by
   * default.
   */
  contextFor(sentBy: string, taskBudget?: number): ScenarioContext;
}

/** Options of a run context. */
export interface RunContextOptions {
  settings: RunSettings;
  /** Recorder of the run. @defaultValue an empty recorder */
  recorder?: Recorder;
  /** Aborts all pending work; its reason is a NotRun. */
  signal: AbortSignal;
  /** Key of the matrix cell to send in a replay. */
  onlyCell?: string | undefined;
  /** Ends the run before it exceeds its cost limit. */
  onCostLimit?: (reason: string) => void;
  /** Called when all responses of the run together exceed the amount of data that a run stores; ends the run. */
  onAnswerLimit?: (reason: string) => void;
  /** Called when the target can no longer be reached; ends the run. */
  onUnreachable?: (reason: string) => void;
  /** Called when the target has served none of many requests in a row; ends the run. */
  onUnserved?: (reason: string) => void;
}

/** Creates the objects that all checks and scenarios of one run share. */
export function createRunContext(options: RunContextOptions): RunContext {
  const { settings, signal, onlyCell, recorder = createRecorder() } = options;
  const { onCostLimit = ignore, onAnswerLimit = ignore, onUnreachable = ignore, onUnserved = ignore } = options;
  const { environment } = settings;
  const { elapsedMs, stamp } = environment;
  const target = withStamp(settings.target, stamp);
  const ledger = createLedger(settings.onLedger);
  const budget = createBudget({ ledger, limitUsd: costLimit(settings), onEmpty: onCostLimit });
  const throttle = createThrottle({ ...requestPace(settings), signal });
  const live = createThrottle({ ratePerSecond: 0, concurrency: target.limits.sessionsAtOnce });
  const deadlines = createTaskDeadlines(target.polling.taskDeadlineMs);
  const redact = createRedact(settings);
  const waitOut = (ms: number): Promise<void> => waitFor(ms, environment, signal);
  const ways = { throttle, pauseGate: createPauseGate(), pause: waitOut, signal };
  const chosen = pickChoices(settings);
  const answerBudget = createAnswerBudget(onAnswerLimit);
  const bounds = { answerBudget, serviceWatch: createServiceWatch(settings.timeoutMs, onUnserved), onUnreachable };
  const client = { ...settings, ...ways, ...bounds, target, schemas, recorder, redact, elapsedMs, stamp };
  return {
    recorder,
    ledger,
    contextFor: (sentBy, taskBudget = 0) => {
      const random = createRandom(settings.seed ^ hashText(`${sentBy} waits`));
      const seen = createObservedClock(recorder);
      const plain = seen.through(createClient(client, sentBy));
      const pause = seen.paused(waitOut);
      const breaker = findRequirement(sentBy) === undefined ? {} : { breaker: createCircuitBreaker() };
      const resources = createResources({
        by: sentBy,
        ...breaker,
        target,
        ledger,
        send: plain,
        budget,
        otherApiKey: settings.otherApiKey,
        pause,
        nowMs: seen.nowMs,
      });
      const send = createLedgerSend(plain, resources);
      const parts = { target, send, resources, ledger, budget };
      return {
        ...chosen,
        target,
        stamp,
        ...createMarkers(sentBy, environment, recorder),
        nowMs: seen.nowMs,
        send,
        resources,
        ledger,
        budget,
        recorder,
        schemas,
        answers,
        operations: createOperationApi({ ...parts, answers }),
        sessions: createSessionApi(parts),
        jobs: { task: createJobApi('task', parts), run: createJobApi('run', parts) },
        browsers: createBrowserApi(parts),
        cdp: createRunCdp(sentBy, { settings, recorder, seen, redact, signal, send }),
        ...createControls({ ...settings, target }, { send, pause }),
        onlyCell,
        taskBudget,
        live,
        deadlines,
        // Jitter, because shards of one plan would otherwise poll at the same times.
        pause: (ms) => pause(addJitter(ms, random())),
      };
    },
  };
}

function ignore(): void {}

/** Returns the options of the run that scenarios and checks may read, and values that are derived from options. */
function pickChoices({ replay, ...settings }: RunSettings) {
  const { apiKey, otherApiKey, seed, matrix, readOnly, propertyRuns, profile, statefulRuns } = settings;
  const replayed = replay === undefined ? undefined : readReplayToken(replay);
  const keyForms = readKeyForms(settings);
  return { apiKey, otherApiKey, keyForms, seed, matrix, readOnly, propertyRuns, profile, statefulRuns, replayed };
}

/**
 * Creates clients for the target's control URL and provider stub; undefined in place of a client whose URL the target
 * file does not name. Without a control URL, a run with `--patient` waits in real time instead of moving the target's
 * clock.
 */
function createControls(
  { target: { control, providerStub: stub }, patient }: RunSettings,
  { send, pause }: Pick<ScenarioContext, 'send' | 'pause'>,
): Pick<ScenarioContext, 'clock' | 'faults' | 'providerStub'> {
  const providerStub = stub === null ? undefined : createStubReader(formatUrl(parsePlace(stub.listen)), send);
  if (control === null) return { clock: patient ? { advance: pause } : undefined, faults: undefined, providerStub };
  return { clock: createControlClock(control, send), faults: createControlFaults(control, send), providerStub };
}

/** Dependencies of the automation clients of one scenario or check. */
interface CdpParts {
  settings: RunSettings;
  recorder: Recorder;
  seen: ObservedClock;
  redact: Redact;
  signal: AbortSignal;
  send: ScenarioContext['send'];
}

function createRunCdp(sentBy: string, { settings, recorder, seen, redact, signal, send }: CdpParts): Cdp {
  const { environment } = settings;
  const connectors = environment.connectors?.(sentBy) ?? settings.connectors;
  const add: CdpLog['add'] = (outcome) => {
    recorder.addCdp(outcome);
    seen.note(outcome.atMs);
  };
  const log = { sentBy, elapsedMs: environment.elapsedMs, redact, add };
  return createCdp({ ...settings, connectors, send, signal, log });
}

// Each secret has a number, because a failed attempt may have left its value on the target.
function createMarkers(
  sentBy: string,
  { secret, stamp }: RunEnvironment,
  recorder: Recorder,
): Pick<ScenarioContext, 'secret' | 'mark'> {
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

async function waitFor(ms: number, { wait }: RunEnvironment, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, signal);
  } catch (error) {
    // The timer throws an AbortError; the signal's reason tells why the run ends.
    signal.throwIfAborted();
    throw error;
  }
}

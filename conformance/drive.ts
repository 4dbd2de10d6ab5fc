import { setTimeout as wait } from 'node:timers/promises';
import { createCdp } from './cdp/index.ts';
import { answerSchemas as answers } from './harness/answer-schemas.ts';
import { createBrowserApi } from './harness/browser-api.ts';
import { createClient } from './harness/client.ts';
import { createControlClock } from './harness/control.ts';
import { type Ledger, createLedger } from './harness/ledger.ts';
import { type Recorder, createRecorder } from './harness/recorder.ts';
import type { Drive } from './harness/scenario.ts';
import { contractSchemas as schemas } from './harness/schemas.ts';
import { createJobApi } from './harness/job-api.ts';
import { createOperationApi } from './harness/operation-api.ts';
import { createSessionApi } from './harness/session-api.ts';
import { createThings } from './harness/things.ts';
import { createThrottle } from './harness/throttle.ts';
import type { RunSettings } from './options.ts';

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
  /** Ends everything that is under way; its reason is a NotRun. */
  signal: AbortSignal;
}

/** Builds the shared parts of one run. */
export function createWorkshop({ settings, signal }: WorkshopOptions): Workshop {
  const { target } = settings;
  const recorder = createRecorder();
  const ledger = createLedger(settings.onLedger);
  const { ratePerSecond, concurrency } = settings;
  const throttle = createThrottle({ ratePerSecond, concurrency, signal });
  const live = createThrottle({ ratePerSecond: 0, concurrency: target.limits.sessionsAtOnce });
  const client = { ...settings, schemas, recorder, throttle, signal };
  return {
    recorder,
    ledger,
    drive: (sentBy, allowance = 0) => {
      const send = createClient(client, sentBy);
      const things = createThings({ target, ledger, send, pause: (ms) => pause(ms, signal) });
      const parts = { target, send, things, ledger };
      return {
        target,
        apiKey: settings.apiKey,
        otherApiKey: settings.otherApiKey,
        seed: settings.seed,
        send,
        things,
        ledger,
        recorder,
        schemas,
        answers,
        operations: createOperationApi({ ...parts, answers }),
        sessions: createSessionApi(parts),
        jobs: { task: createJobApi('task', parts), run: createJobApi('run', parts) },
        browsers: createBrowserApi(parts),
        cdp: createCdp({ ...settings, send, signal }),
        matrix: settings.matrix,
        clock: target.control === null ? undefined : createControlClock(target.control, send),
        propertyRuns: settings.propertyRuns,
        allowance,
        live,
        pause: (ms) => pause(ms, signal),
      };
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch (error) {
    // The timer throws an AbortError; the reason says why the run ends.
    signal.throwIfAborted();
    throw error;
  }
}

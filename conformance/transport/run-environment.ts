import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connectors } from '../core/cdp.ts';
import type { RunEnd } from '../core/report.ts';
import type { KeyForm, KeyForms } from '../core/scenario.ts';
import type { Target } from '../core/target.ts';

/** Clock and randomness of a run. A replay supplies the recorded values instead. */
export interface RunEnvironment {
  /** Milliseconds since the run began. */
  elapsedMs: () => number;
  /** Waits; rejects when the signal aborts. */
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** True if the target needs no protection: neither the rate nor the concurrency of requests is then limited. */
  unpaced: boolean;
  /** Tag that is unique to the run, used in names. */
  stamp: string;
  /** Creates a secret value. `name` is unique for each call; a replay finds the recorded value by this name. */
  secret: (name: string, purpose: string) => string;
  /** The forms of the recorded keys. Absent in a live run, which has the keys. */
  keyForms?: KeyForms;
  /** Returns the automation clients of one scenario or check. Absent if the run uses the clients of its settings. */
  connectors?(sentBy: string): Connectors;
  /**
   * Registers a callback for the recorded end of a run from outside, such as an interrupt. Only a replay has this
   * function, because signals and timers end a live run.
   */
  onEnd?(end: (why: RunEnd, reason: string) => void): void;
}

/**
 * Creates an environment with the clock of this machine and real randomness. `stamp` is the marker of the run; the
 * clean-up of an earlier run passes the marker of that run.
 * @defaultValue a new marker
 */
export function createRunEnvironment(stamp: string = newStamp()): RunEnvironment {
  const begin = performance.now();
  const seed = randomBytes(32);
  return {
    elapsedMs: () => performance.now() - begin,
    wait: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
    unpaced: false,
    stamp,
    secret: (name, purpose) => {
      const digest = createHmac('sha256', seed).update(name).digest('hex');
      return `svc-check-${purpose}-${digest.slice(0, 32)}`;
    },
  };
}

// The time sorts the markers of several runs. The random part distinguishes runs that start in the same millisecond.
function newStamp(): string {
  return Date.now().toString(36) + randomBytes(2).toString('hex');
}

/** API keys of a run, and the target file's `keyPrefix`. */
interface PrefixedKeys {
  target: Pick<Target, 'keyPrefix'>;
  apiKey: string;
  otherApiKey: string | undefined;
  environment: Pick<RunEnvironment, 'keyForms'>;
}

/**
 * Returns the forms of the keys of a run: in a replay the recorded forms. Undefined if the target file names no
 * `keyPrefix`.
 */
export function readKeyForms({ target, apiKey, otherApiKey, environment }: PrefixedKeys): KeyForms | undefined {
  const { keyPrefix } = target;
  if (environment.keyForms !== undefined || keyPrefix === null) return environment.keyForms;
  const readForm = (key: string): KeyForm => {
    if (!key.startsWith(keyPrefix)) return 'otherBeginning';
    return key === keyPrefix ? 'prefixOnly' : 'complete';
  };
  return {
    apiKey: readForm(apiKey),
    ...(otherApiKey === undefined ? {} : { otherApiKey: readForm(otherApiKey) }),
  };
}

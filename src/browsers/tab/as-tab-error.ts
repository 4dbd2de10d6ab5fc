import { TabError } from './tab.ts';
import { within } from '../within.ts';

/** Every step on a page ends within this time, whatever the page does. */
export const STEP_TIMEOUT_MS = 15_000;

/** How Chromium names what people know by other words. */
const NET_ERRORS: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/ERR_TUNNEL_CONNECTION_FAILED|ERR_NAME_NOT_RESOLVED/, 'the host is unknown or cannot be reached'],
  [/ERR_CONNECTION_REFUSED|ERR_PROXY_CONNECTION_FAILED/, 'the connection was refused'],
  [/ERR_CONNECTION_(RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED/, 'the connection was cut'],
  [/ERR_CERT_|ERR_SSL_/, 'its certificate is not valid'],
  [/ERR_UNSAFE_PORT/, 'browsers do not connect to that port'],
  [/ERR_TOO_MANY_REDIRECTS/, 'it redirects in a circle'],
  [/Download is starting|ERR_ABORTED/, 'it is a download or was stopped, not a page'],
  [/Timeout .* exceeded|did not answer in time/, `it took longer than ${STEP_TIMEOUT_MS / 1_000} s`],
  [
    /Target page, context or browser has been closed|Target closed|browser has been closed/,
    'the tab or its browser has ended',
  ],
  [/crashed/i, 'the page crashed'],
];

/** Does one step on a page, which is given a signal that aborts with its task and when its time is over. */
export type RunStep = <T>(what: string, step: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** The steps on the pages of one browser that have not ended, those that are late included. */
export type PendingSteps = Set<Promise<unknown>>;

/** A step that does not end within this time after its signal has aborted waits for a page that does not answer. */
const UNWIND_MS = 1_000;

/**
 * Returns a function that does steps of one task. It turns whatever the page does wrong into a {@link TabError} of the form
 * `<what>: <reason>`, cancels a step after 15 s, and rejects with the reason of the task's signal once that has aborted.
 */
export function createStepRunner(pending: PendingSteps, task: AbortSignal = new AbortController().signal): RunStep {
  return async (what, step) => {
    task.throwIfAborted();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error('The page did not answer in time.')), STEP_TIMEOUT_MS);
    const work = step(AbortSignal.any([task, limit.signal]));
    const forget = (): void => void pending.delete(work);
    pending.add(work);
    work.then(forget, forget);
    try {
      return await within(STEP_TIMEOUT_MS + UNWIND_MS, work, 'The page did not answer in time.');
    } catch (error) {
      task.throwIfAborted();
      if (error instanceof TabError) throw error;
      // Playwright throws plain errors for everything that a page or a browser does, so they cannot be told apart further.
      throw new TabError(`${what}: ${reasonOf(limit.signal.aborted ? limit.signal.reason : error)}.`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const known = NET_ERRORS.find(([pattern]) => pattern.test(message))?.[1];
  if (known !== undefined) return known;
  const [firstLine = ''] = message.split('\n');
  return firstLine.replace(/^[a-zA-Z]+\.[a-zA-Z]+: /, '').replace(/\.$/, '');
}

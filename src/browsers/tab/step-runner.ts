import { within } from '../within.ts';
import { type RunStep, TabError } from './tab.ts';

/** Maximum duration of a step on a page. */
export const stepTimeoutMs = 15_000;

/** Sentences for network errors of Chromium. */
const netErrors: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/ERR_TUNNEL_CONNECTION_FAILED|ERR_NAME_NOT_RESOLVED/, 'the host is unknown or cannot be reached'],
  [/ERR_CONNECTION_REFUSED|ERR_PROXY_CONNECTION_FAILED/, 'the connection was refused'],
  [/ERR_CONNECTION_(RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED/, 'the connection was cut'],
  [/ERR_CERT_|ERR_SSL_/, 'its certificate is not valid'],
  [/ERR_UNSAFE_PORT/, 'browsers do not connect to that port'],
  [/ERR_TOO_MANY_REDIRECTS/, 'it redirects in a circle'],
  [/Download is starting|ERR_ABORTED/, 'it is a download or was stopped, not a page'],
  [/Timeout .* exceeded|did not answer in time/, `it took longer than ${stepTimeoutMs / 1_000} s`],
  [
    /Target page, context or browser has been closed|Target closed|browser has been closed/,
    'the tab or its browser has ended',
  ],
  [/crashed/i, 'the page crashed'],
];

/**
 * Unfinished steps on the pages of one browser. Includes cancelled steps that have not ended although their caller no
 * longer waits.
 */
export type PendingSteps = Set<Promise<unknown>>;

/**
 * Additional time in milliseconds in which a step has to end after its timeout. Then the caller no longer waits,
 * because the page does not respond.
 */
const unwindMs = 1_000;

/**
 * Returns a function that runs the steps of one task. Failures of a page become a {@link TabError} of the form `<what>:
 * <reason>`. A step is cancelled after 15 s. When the task's signal aborts, the step rejects with the reason of the
 * signal.
 */
export function createStepRunner(pending: PendingSteps, task: AbortSignal = new AbortController().signal): RunStep {
  return async (what, step) => {
    task.throwIfAborted();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error('The page did not answer in time.')), stepTimeoutMs);
    const work = step(AbortSignal.any([task, limit.signal]));
    const forget = (): void => void pending.delete(work);
    pending.add(work);
    work.then(forget, forget);
    try {
      return await within(stepTimeoutMs + unwindMs, work, 'The page did not answer in time.');
    } catch (error) {
      task.throwIfAborted();
      if (error instanceof TabError) throw error;
      // Playwright throws plain errors for all failures of pages and browsers, so they cannot be distinguished.
      throw new TabError(`${what}: ${getReason(limit.signal.aborted ? limit.signal.reason : error)}.`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  };
}

function getReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const known = netErrors.find(([pattern]) => pattern.test(message))?.[1];
  if (known !== undefined) return known;
  const [firstLine = ''] = message.split('\n');
  return firstLine.replace(/^[a-zA-Z]+\.[a-zA-Z]+: /, '').replace(/\.$/, '');
}

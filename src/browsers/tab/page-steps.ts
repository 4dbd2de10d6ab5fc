import type { Page } from 'playwright-core';
import { within } from '../within.ts';
import { notAllowed } from './addresses.ts';
import type { Confinement, RefusalWatch } from './confinement.ts';
import type { Foreground } from './foreground.ts';
import { type RunStep, TabError } from './tab.ts';

/** Signals that end a step early. */
export interface StepEnds {
  /** Aborts with the task of the step and at the timeout. */
  readonly signal: AbortSignal;
  /** Resolves when a navigation is blocked. */
  readonly refused: Promise<void>;
}

/** Runs steps on the foreground page. Each rejects with a TabError of the form `<what>: <reason>`. */
export interface PageSteps {
  /** Runs a step that does not navigate. */
  readonly onPage: <T>(what: string, step: (page: Page, signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Runs an action of a user on the page. It fails when its navigation is blocked. */
  readonly act: (what: string, step: (page: Page, ends: StepEnds) => Promise<void>) => Promise<void>;
  /** Reads from the page after its document is parsed. */
  readonly read: <T>(what: string, look: (page: Page, signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Opens a URL. It succeeds when the page is open, even if a later navigation of the page itself was blocked. */
  readonly open: (what: string, step: (page: Page, signal: AbortSignal) => Promise<void>) => Promise<void>;
}

/** Dependencies of steps. */
export interface PageStepsOptions {
  readonly foreground: Pick<Foreground, 'page'>;
  readonly confinement: Pick<Confinement, 'watch'>;
  readonly runStep: RunStep;
}

/** Creates steps on the page that is in front when each step begins. */
export function createPageSteps({ foreground, confinement, runStep }: PageStepsOptions): PageSteps {
  const onPage: PageSteps['onPage'] = (what, step) =>
    runStep(what, async (signal) => {
      const page = await foreground.page();
      signal.throwIfAborted();
      return step(page, signal);
    });
  return {
    onPage,
    async act(what, step) {
      const watch = confinement.watch();
      const refusal = await explained(what, watch, () =>
        onPage(what, (page, signal) => step(page, { signal, refused: watch.refused })),
      );
      if (refusal !== null) throw refusal;
    },
    read: (what, look) => onPage(`Could not read ${what}`, (page, signal) => readWhenParsed(page, signal, look)),
    async open(what, step) {
      await explained(what, confinement.watch(), () => onPage(what, step));
    },
  };
}

/**
 * Runs a step that may navigate and returns the URL of a blocked navigation. The error of a failed step names that URL.
 */
async function explained(what: string, watch: RefusalWatch, step: () => Promise<void>): Promise<TabError | null> {
  const keptFrom = (): TabError | null => {
    const address = watch.address();
    return address === null ? null : new TabError(`${what}: ${notAllowed(address)}.`);
  };
  try {
    await step();
    return keptFrom();
  } catch (error) {
    throw keptFrom() ?? error;
  } finally {
    watch.stop();
  }
}

/**
 * Reads after the document is parsed or its parsing was stopped. When the page navigates meanwhile, reads the new page.
 * The document itself is asked: Playwright's load state never arrives for a document that was stopped.
 */
async function readWhenParsed<T>(
  page: Page,
  signal: AbortSignal,
  look: (page: Page, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      await page.evaluate(untilParsed);
      signal.throwIfAborted();
      return await look(page, signal);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('Execution context was destroyed'))) throw error;
      signal.throwIfAborted();
    }
  }
}

/** Expression that resolves in the page when its document is parsed or parsing has stopped. */
const untilParsed = `document.readyState !== 'loading' ||
  new Promise((done) => document.addEventListener('readystatechange', () => done(true), { once: true }))`;

/** Maximum duration of a step on a page. */
export const STEP_TIMEOUT_MS = 15_000;

/** Sentences for network errors of Chromium. */
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

/** Unfinished steps on the pages of one browser, late ones included. */
export type PendingSteps = Set<Promise<unknown>>;

/** Time after an abort within which a step must end; a longer one waits for an unresponsive page. */
const UNWIND_MS = 1_000;

/**
 * Returns a function that runs steps of one task. It converts every failure of a page into a {@link TabError} of the
 * form `<what>: <reason>`, cancels a step after 15 s, and rejects with the reason of the task's signal after its abort.
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
  const known = NET_ERRORS.find(([pattern]) => pattern.test(message))?.[1];
  if (known !== undefined) return known;
  const [firstLine = ''] = message.split('\n');
  return firstLine.replace(/^[a-zA-Z]+\.[a-zA-Z]+: /, '').replace(/\.$/, '');
}

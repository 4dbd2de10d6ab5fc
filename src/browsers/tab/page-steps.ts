import type { Page } from 'playwright-core';
import { within } from '../within.ts';
import { notAllowed } from './addresses.ts';
import type { Confinement, RefusalWatch } from './confinement.ts';
import type { Foreground } from './foreground.ts';
import { type RunStep, TabError } from './tab.ts';

/** What ends a step early. */
export interface StepEnds {
  /** Aborts with the task of the step, and when its time is over. */
  readonly signal: AbortSignal;
  /** Settles when a page is kept from leaving. */
  readonly refused: Promise<void>;
}

/** How steps on the page in front are done; each rejects with a TabError of the form `<what>: <reason>`. */
export interface PageSteps {
  /** A step that leads nowhere. */
  readonly onPage: <T>(what: string, step: (page: Page, signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** What a person would do on the page; it did not work when the page was kept from where it would have led. */
  readonly act: (what: string, step: (page: Page, ends: StepEnds) => Promise<void>) => Promise<void>;
  /** Looks at the page once its document is there. */
  readonly read: <T>(what: string, look: (page: Page, signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Opens an address: a page that is open, and was kept from leaving by itself, is what was asked for. */
  readonly open: (what: string, step: (page: Page, signal: AbortSignal) => Promise<void>) => Promise<void>;
}

/** What steps need from the browser around the page. */
export interface PageStepsOptions {
  readonly foreground: Pick<Foreground, 'page'>;
  readonly confinement: Pick<Confinement, 'watch'>;
  readonly runStep: RunStep;
}

/** Steps on whatever page is in front when each of them begins. */
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

/** Does what may lead elsewhere; a failure is explained by the address that a page was kept from meanwhile, which is answered. */
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
 * Reads once the document is parsed, or its parsing was stopped; when a script or a refresh leads elsewhere meanwhile, reads the page it
 * led to. The document is asked itself: Playwright's load state never comes for a document that was stopped as it arrived.
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

/** Settles in the page when its document is parsed, or has stopped being parsed. */
const untilParsed = `document.readyState !== 'loading' ||
  new Promise((done) => document.addEventListener('readystatechange', () => done(true), { once: true }))`;

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
      // Playwright throws plain errors for all failures of pages and browsers, so they cannot be distinguished.
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

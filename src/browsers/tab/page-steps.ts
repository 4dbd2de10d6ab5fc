import type { Page } from 'playwright-core';
import { notAllowed } from './addresses.ts';
import type { Confinement, RefusalWatch } from './confinement.ts';
import type { Foreground } from './foreground.ts';
import { type RunStep, TabError } from './tab.ts';

/** Signals that end a step early. */
export interface StepEnds {
  /** Aborts when the task is aborted, and when the step reaches its timeout. */
  readonly signal: AbortSignal;
  /** Resolves when a navigation is blocked. */
  readonly refused: Promise<void>;
}

/**
 * Functions that run a step on the foreground page. They reject with a TabError of the form `<what>: <reason>`, or with
 * the reason of an aborted task.
 */
export interface PageSteps {
  /** Runs a step that does not navigate. */
  readonly onPage: <T>(what: string, step: (page: Page, signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Runs a step that acts like a user and may navigate. Rejects when a navigation is blocked. */
  readonly act: (what: string, step: (page: Page, ends: StepEnds) => Promise<void>) => Promise<void>;
  /** Reads from the page after its document is parsed. */
  readonly read: <T>(what: string, look: (page: Page, signal: AbortSignal) => Promise<T>) => Promise<T>;
  /**
   * Runs a step that opens a URL. Resolves when the page is open, even if the page itself then tried a navigation that
   * was blocked.
   */
  readonly open: (what: string, step: (page: Page, signal: AbortSignal) => Promise<void>) => Promise<void>;
}

/** Dependencies of steps. */
export interface PageStepsOptions {
  readonly foreground: Pick<Foreground, 'page'>;
  readonly confinement: Pick<Confinement, 'watch'>;
  readonly runStep: RunStep;
}

/**
 * Creates functions that run steps on the foreground page. Each step uses the page that is in front when the step
 * begins.
 */
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
 * Runs a step that may navigate. Returns an error that names the host of a blocked navigation, or null if none was
 * blocked. If the step fails, throws this error, or else the error of the step.
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
 * Calls `look` when the document of the page is parsed, or its parsing was stopped. If the page navigates meanwhile,
 * calls `look` again for the new document. Asks the document itself, because Playwright reports no load state for a
 * document that was stopped.
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

/** JavaScript expression that resolves when the document is parsed, or its parsing was stopped. */
const untilParsed = `document.readyState !== 'loading' ||
  new Promise((done) => document.addEventListener('readystatechange', () => done(true), { once: true }))`;

import type { Page } from 'playwright-core';
import { TabError } from './tab.ts';
import type { RunStep } from './as-tab-error.ts';
import type { Confinement, RefusalWatch } from './confinement.ts';
import type { Foreground } from './foreground.ts';
import { notAllowed } from './not-allowed.ts';

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

import type { Logger } from 'pino';

/** A browser whose CAPTCHAs may be solved. */
export interface SolvableBrowser {
  readonly browserId: string;
  /** DevTools URL of the browser, which grants control of the browser. */
  readonly cdpUrl: string;
}

/** A client of the CAPTCHA solver of the operator. */
export interface CaptchaSolver {
  /** Notifies the solver of a browser, in the background. A failure is logged; the browser works without a solver. */
  announce(browser: SolvableBrowser): void;
  /** Aborts pending requests and waits for their end. */
  close(): Promise<void>;
}

/** Dependencies of a captcha solver. */
export interface CaptchaSolverOptions {
  /** URL that receives a POST with a JSON body for each browser. */
  readonly url: string;
  readonly log: Logger;
}

/** Timeout of one request in milliseconds. */
const timeoutMs = 10_000;

/**
 * Creates the client of `svc serve --captcha-solver`. The solver attaches to the DevTools URL by itself and stays until
 * the browser ends. Only the status of its response is read, and redirects are refused.
 */
export function createCaptchaSolver({ url, log }: CaptchaSolverOptions): CaptchaSolver {
  const closing = new AbortController();
  const pending = new Set<Promise<void>>();
  const tell = async (browser: SolvableBrowser): Promise<void> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(browser),
        redirect: 'error',
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
      });
      await response.body?.cancel();
      if (!response.ok)
        log.warn({ browser: browser.browserId, status: response.status }, 'the captcha solver refused a browser');
    } catch (error) {
      if (closing.signal.aborted) return;
      log.warn({ browser: browser.browserId, err: error }, 'the captcha solver could not be told of a browser');
    }
  };
  return {
    announce(browser) {
      const told = tell(browser).finally(() => pending.delete(told));
      pending.add(told);
    },
    async close() {
      closing.abort();
      await Promise.all(pending);
    },
  };
}

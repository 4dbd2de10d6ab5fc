import type { Page } from 'playwright-core';
import { TabError } from './tab.ts';
import { STEP_TIMEOUT_MS } from './as-tab-error.ts';

/** What is waited for, and for how long. */
export interface TextToWaitFor {
  readonly text: string;
  readonly state: 'visible' | 'hidden';
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A second less than a step may take, so that it is this that ends. */
const WAIT_MAX_MS = STEP_TIMEOUT_MS - 1_000;

/** Waits until some frame of the page shows the text, or none does any more. */
export async function waitForText(page: Page, { text, state, timeoutMs, signal }: TextToWaitFor): Promise<void> {
  const timeout = Math.min(timeoutMs, WAIT_MAX_MS);
  const waits = page
    .frames()
    .map((frame) => frame.getByText(text).filter({ visible: true }).first().waitFor({ state, timeout, signal }));
  try {
    await (state === 'visible' ? Promise.any(waits) : Promise.all(waits));
  } catch (error) {
    signal.throwIfAborted();
    const isLate = error instanceof AggregateError || (error instanceof Error && error.name === 'TimeoutError');
    if (!isLate) throw error;
    const was = state === 'visible' ? 'did not appear' : 'did not go away';
    throw new TabError(`"${text}" ${was} within ${timeout / 1_000} s.`, { cause: error });
  }
}

import type { BrowserContext, Page } from 'playwright-core';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';
import { within } from '../within.ts';
import type { PendingSteps } from './page-steps.ts';
import type { DialogWatch } from './dialogs.ts';
import type { Foreground } from './foreground.ts';

/** The pages of a browser whose task has ended. */
export interface PageWork {
  readonly mux: CdpMux;
  readonly context: BrowserContext;
  readonly foreground: Pick<Foreground, 'newest'>;
  readonly dialogs: Pick<DialogWatch, 'dismissAll'>;
  readonly pending: PendingSteps;
}

/** A page answers within milliseconds, and within a second on a crowded machine, unless a script keeps it busy or it is leaving. */
const ANSWER_MS = 2_000;
/** A page is stopped and asked whether it is quiet until this time has passed: each time it may have requested to leave in between. */
const QUIET_MS = 6_000;
/** Cancelled steps end within milliseconds, unless their page does not answer. */
const STEPS_END_MS = 3_000;
/** A page that is closed goes within this time, also one that does not answer. */
const CLOSE_MS = 20_000;

/**
 * Cancels what a task has started in the pages of its browser: dialogs, steps, navigations, new tabs that load. The pages stay as they
 * are; one that does not answer is closed, and the next step opens a new one. Settles when nothing of it is pending; rejects when the
 * browser does not let go of it.
 */
export async function cancelPageWork(work: PageWork): Promise<void> {
  using _ = work.dialogs.dismissAll();
  await stopPages(work);
  // A step that was ending may have led elsewhere meanwhile.
  const hasStepsLeft = work.pending.size > 0;
  const haveEnded = await hasEnded(work.pending, STEPS_END_MS);
  if (hasStepsLeft) await stopPages(work);
  if (haveEnded || (await hasEnded(work.pending, STEPS_END_MS))) return;
  // Every page answers, and still a step does not end: it goes with the page that it is on.
  const front = work.foreground.newest();
  if (front !== null) await closePage(front);
  if (!(await hasEnded(work.pending, CLOSE_MS))) throw new Error('The browser does not end a step that was cancelled.');
}

async function stopPages({ context, mux }: PageWork): Promise<void> {
  const stopped = new Set<Page>();
  for (let pages = context.pages(); pages.length > 0; pages = context.pages().filter((page) => !stopped.has(page))) {
    for (const page of pages) stopped.add(page);
    await Promise.all(pages.map(stopPage));
  }
  await closeUnannounced(context, mux);
}

/** Closes the tabs that pages have opened and that load their first document: Playwright announces a tab when it has come. */
async function closeUnannounced(context: BrowserContext, mux: CdpMux): Promise<void> {
  const { targetInfos } = await mux.command('Target.getTargets');
  const targets = Array.isArray(targetInfos) ? targetInfos.flatMap(pageTarget) : [];
  const announced = context.pages();
  if (targets.length <= announced.length) return;
  const known = new Set(await Promise.all(announced.map(targetIdOf)));
  await Promise.all(targets.filter((id) => !known.has(id)).map((id) => closeTarget(mux, id)));
  // One of them may have been announced meanwhile: behind the answer to a command Playwright knows that it has gone.
  await context.cookies([]);
}

function pageTarget(info: unknown): string[] {
  if (typeof info !== 'object' || info === null || Reflect.get(info, 'type') !== 'page') return [];
  return [String(Reflect.get(info, 'targetId'))];
}

async function targetIdOf(page: Page): Promise<string | null> {
  try {
    const session = await page.context().newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    return targetInfo.targetId;
  } catch (error) {
    if (page.isClosed()) return null;
    throw error;
  }
}

/** Settles when the target has gone. */
async function closeTarget(mux: CdpMux, targetId: string): Promise<void> {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const channel = await openCommandChannel(mux, ({ method, params }) => {
    if (method === 'Target.targetDestroyed' && params?.['targetId'] === targetId) resolve();
  });
  try {
    await channel.ask({ method: 'Target.setDiscoverTargets', params: { discover: true } });
    // An error says that it has gone already.
    const { error } = await channel.ask({ method: 'Target.closeTarget', params: { targetId } });
    if (error === undefined) await within(CLOSE_MS, gone, 'A tab that loads could not be closed.');
  } finally {
    await channel.close();
  }
}

async function hasEnded(pending: PendingSteps, withinMs: number): Promise<boolean> {
  if (pending.size === 0) return true;
  const all = Promise.allSettled(pending).then(() => true);
  return within(withinMs, all, 'late').catch(() => false);
}

async function stopPage(page: Page): Promise<void> {
  if (!(await stopLoading(page))) await closePage(page);
}

/** Stops what a page loads, and answers whether the page has worked off what it had begun. */
async function stopLoading(page: Page): Promise<boolean> {
  try {
    return await within(QUIET_MS + ANSWER_MS, stopUntilQuiet(page), 'The page does not answer.');
  } catch {
    // A page that has closed itself has nothing left to stop; one that does not answer is closed.
    return page.isClosed();
  }
}

/**
 * A click or key that the page has not worked off can still lead elsewhere, so its task queue goes first: its request to leave comes over
 * the same channel before the answer. While a page is leaving it answers nothing, so what it has requested is stopped before it is asked.
 */
async function stopUntilQuiet(page: Page): Promise<boolean> {
  const session = await page.context().newCDPSession(page);
  const turn = { expression: 'new Promise((done) => setTimeout(done))', awaitPromise: true };
  const ask = async (): Promise<boolean> => {
    await session.send('Page.stopLoading');
    await session.send('Runtime.evaluate', turn, { timeout: ANSWER_MS });
    await session.send('Page.stopLoading');
    return true;
  };
  const until = performance.now() + QUIET_MS;
  let isQuiet = false;
  while (!isQuiet && performance.now() < until) isQuiet = await ask().catch(hasAnswered);
  await session.detach();
  return isQuiet;
}

/**
 * A page that comes to its next document while it is stopped or asked is stopped and asked again. Between the two documents Chromium
 * says for some milliseconds that the session is "not attached to an active page"; a page that is closed then does not go.
 */
function hasAnswered(error: unknown): boolean {
  if (error instanceof Error && /navigated|context|collected|not attached|Timeout/i.test(error.message)) return false;
  throw error;
}

async function closePage(page: Page): Promise<void> {
  await within(CLOSE_MS, page.close(), 'A page that does not answer could not be closed.');
}

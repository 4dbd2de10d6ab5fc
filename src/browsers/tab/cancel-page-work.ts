import type { BrowserContext, Page } from 'playwright-core';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';
import { within } from '../within.ts';
import type { PendingSteps } from './step-runner.ts';
import type { DialogWatch } from './dialogs.ts';
import type { Foreground } from './foreground.ts';

/** Places where a task may have left unfinished work: pages, dialogs and pending steps of its browser. */
export interface PageWork {
  readonly mux: CdpMux;
  readonly context: BrowserContext;
  readonly foreground: Pick<Foreground, 'newest'>;
  readonly dialogs: Pick<DialogWatch, 'dismissAll'>;
  readonly pending: PendingSteps;
}

/**
 * Timeout for a reply of a page. A page replies within milliseconds, or a second on a loaded machine. A busy script or
 * a navigation delays the reply.
 */
const answerMs = 2_000;
/** Maximum time for stopping a page. It is stopped repeatedly, because it may request another navigation in between. */
const quietMs = 6_000;
/** Timeout for cancelled steps. They end within milliseconds, unless their page does not respond. */
const stepsEndMs = 3_000;
/** Timeout for closing a page, which can be unresponsive. */
const closeMs = 20_000;

/**
 * Cancels all work that a task has started in the pages of its browser: dialogs, steps, navigations and loading tabs.
 * Closes an unresponsive page; other pages stay open. Resolves when no work is pending. Rejects when the browser does
 * not stop the work.
 */
export async function cancelPageWork(work: PageWork): Promise<void> {
  using _ = work.dialogs.dismissAll();
  await stopPages(work);
  // A step may have navigated while it was ending.
  const hasStepsLeft = work.pending.size > 0;
  const haveEnded = await hasEnded(work.pending, stepsEndMs);
  if (hasStepsLeft) await stopPages(work);
  if (haveEnded || (await hasEnded(work.pending, stepsEndMs))) return;
  // Every page responds but a step does not end: the foreground page is closed, because steps run there.
  const front = work.foreground.newest();
  if (front !== null) await closePage(front);
  if (!(await hasEnded(work.pending, closeMs))) throw new Error('The browser does not end a step that was cancelled.');
}

async function stopPages({ context, mux }: PageWork): Promise<void> {
  const stopped = new Set<Page>();
  for (let pages = context.pages(); pages.length > 0; pages = context.pages().filter((page) => !stopped.has(page))) {
    for (const page of pages) stopped.add(page);
    await Promise.all(pages.map(stopPage));
  }
  await closeUnannounced(context, mux);
}

/**
 * Closes new tabs whose first document has not arrived yet. Playwright does not announce such a tab, so its list of
 * pages does not contain the tab.
 */
async function closeUnannounced(context: BrowserContext, mux: CdpMux): Promise<void> {
  const { targetInfos } = await mux.command('Target.getTargets');
  const targets = Array.isArray(targetInfos) ? targetInfos.flatMap(pageTarget) : [];
  const announced = context.pages();
  if (targets.length <= announced.length) return;
  const known = new Set(await Promise.all(announced.map(getTargetId)));
  await Promise.all(targets.filter((id) => !known.has(id)).map((id) => closeTarget(mux, id)));
  // Playwright may have announced such a tab before it was closed. When this command is answered, Playwright knows that
  // the tab is closed.
  await context.cookies([]);
}

function pageTarget(info: unknown): string[] {
  if (typeof info !== 'object' || info === null || Reflect.get(info, 'type') !== 'page') return [];
  return [String(Reflect.get(info, 'targetId'))];
}

async function getTargetId(page: Page): Promise<string | null> {
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

/** Closes the tab with this target id. Resolves when the tab is closed. Rejects when this takes more than 20 s. */
async function closeTarget(mux: CdpMux, targetId: string): Promise<void> {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const channel = await openCommandChannel(mux, ({ method, params }) => {
    if (method === 'Target.targetDestroyed' && params?.['targetId'] === targetId) resolve();
  });
  try {
    await channel.ask({ method: 'Target.setDiscoverTargets', params: { discover: true } });
    // An error means that it is already closed.
    const { error } = await channel.ask({ method: 'Target.closeTarget', params: { targetId } });
    if (error === undefined) await within(closeMs, gone, 'A tab that loads could not be closed.');
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

/**
 * Stops loading and queued tasks of a page. Returns true when the page is idle or closed; false when it does not
 * respond.
 */
async function stopLoading(page: Page): Promise<boolean> {
  try {
    return await within(quietMs + answerMs, stopUntilQuiet(page), 'The page does not answer.');
  } catch {
    // A page that closed itself has nothing to stop; an unresponsive page is closed.
    return page.isClosed();
  }
}

/**
 * Stops a page repeatedly until it is idle; returns false if this takes more than 6 s. A queued click or key can still
 * navigate, so the page first runs its queued tasks. A navigation request of such a task arrives before the reply. A
 * navigating page does not reply, so its loading is stopped before it is asked.
 */
async function stopUntilQuiet(page: Page): Promise<boolean> {
  const session = await page.context().newCDPSession(page);
  const turn = { expression: 'new Promise((done) => setTimeout(done))', awaitPromise: true };
  const ask = async (): Promise<boolean> => {
    await session.send('Page.stopLoading');
    await session.send('Runtime.evaluate', turn, { timeout: answerMs });
    await session.send('Page.stopLoading');
    return true;
  };
  const until = performance.now() + quietMs;
  let isQuiet = false;
  while (!isQuiet && performance.now() < until) isQuiet = await ask().catch(hasAnswered);
  await session.detach();
  return isQuiet;
}

/**
 * Returns false for an error that requires stopping the page again, and throws every other error. Such an error occurs
 * during a navigation. Chromium then reports for some milliseconds that the session is "not attached to an active
 * page", and closing the page has no effect.
 */
function hasAnswered(error: unknown): boolean {
  if (error instanceof Error && /navigated|context|collected|not attached|Timeout/i.test(error.message)) return false;
  throw error;
}

async function closePage(page: Page): Promise<void> {
  await within(closeMs, page.close(), 'A page that does not answer could not be closed.');
}

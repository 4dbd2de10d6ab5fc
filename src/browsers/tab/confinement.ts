import type { BrowserContext, Page } from 'playwright-core';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { type CommandChannel, openCommandChannel } from '../pipe/command-channel.ts';
import { within } from '../within.ts';
import type { RunStep } from './tab.ts';

/** Restricts the pages of a browser to allowed URLs. */
export interface Confinement {
  /**
   * Sets the rule for the URLs that pages may show; null removes the restriction. Resolves when the rule applies to
   * every page.
   */
  set(mayShow: MayShow | null): Promise<void>;
  /** Returns whether the current rule allows a URL. */
  allows(address: string): boolean;
  /** Records blocked navigations, until `stop` of the returned watch is called. */
  watch(): RefusalWatch;
}

/** Record of blocked navigations since the call of `watch`. */
export interface RefusalWatch {
  /** Resolves when a navigation is blocked. */
  readonly refused: Promise<void>;
  /** Returns the URL of the last blocked navigation, or null if none was blocked. */
  address(): string | null;
  stop(): void;
}

/** Creates a confinement without a restriction. */
export function createConfinement(mux: CdpMux): Confinement {
  const watches = new Set<(address: string) => void>();
  const onRefused = (address: string): void => watches.forEach((tell) => tell(address));
  let guard: PageGuard | null = null;
  let rule: MayShow | null = null;
  return {
    allows: (address) => rule === null || rule(address),
    async set(mayShow) {
      rule = mayShow;
      if (mayShow === null) {
        await guard?.close();
        guard = null;
      } else if (guard === null) guard = await attachPageGuard(mux, { mayShow, onRefused });
      else guard.follow(mayShow);
    },
    watch() {
      const { promise: refused, resolve } = Promise.withResolvers<void>();
      let last: string | null = null;
      const tell = (address: string): void => {
        last = address;
        resolve();
      };
      watches.add(tell);
      return { refused, address: () => last, stop: () => void watches.delete(tell) };
    },
  };
}

/** Navigates every page with a forbidden URL to about:blank. Rejects when a navigation fails. */
export async function leaveForbiddenPages(
  context: BrowserContext,
  { mayShow, runStep }: { readonly mayShow: MayShow; readonly runStep: RunStep },
): Promise<void> {
  const forbidden = context.pages().filter((page) => !mayShow(page.url()));
  const leave = (page: Page): Promise<unknown> =>
    runStep('Could not leave the page', (signal) => page.goto('about:blank', { signal }));
  await Promise.all(forbidden.map(leave));
}

/** Returns whether a page with this URL may be shown. */
export type MayShow = (address: string) => boolean;

/** Checks the navigations of a browser's pages. */
export interface PageGuard {
  /** Replaces the rule for URLs. */
  follow(mayShow: MayShow): void;
  /** Stops checking. */
  close(): Promise<void>;
}

/** Options of a page guard: the rule for URLs, and a callback for the URL of each blocked navigation. */
export interface GuardOptions {
  readonly mayShow: MayShow;
  readonly onRefused: (address: string) => void;
}

/** Timeout for attaching to all existing pages, which normally takes some milliseconds. */
const attachTimeoutMs = 15_000;

/** Patterns of `Fetch.enable` that pause requests for documents before they are sent, and no other requests. */
const patterns = [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Request' }];
const guarded = ['page'];
const filter = guarded.map((type) => ({ type }));
const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };

/**
 * Checks every request for the document of a page, redirects included, before the request is sent. Other requests are
 * not checked, not even those for documents of frames. Uses its own DevTools client, which also pauses new pages,
 * because a popup could navigate before it is checked. Resolves when all existing pages are guarded. Rejects after 15
 * s.
 */
export async function attachPageGuard(mux: CdpMux, { mayShow: first, onRefused }: GuardOptions): Promise<PageGuard> {
  const targets = new Map<string, Target>();
  const known: Promise<void>[] = [];
  let isReady = false;
  let mayShow = first;
  const judge = async (target: Target, paused: Paused): Promise<void> => {
    if (mayShow(paused.address)) return letThrough(channel, target, paused);
    const frame = await findFrame(channel, target, paused);
    if (frame === 'subframe') return letThrough(channel, target, paused);
    if (frame === 'main') onRefused(paused.address);
    keepBack(channel, target, paused);
  };
  const channel = await openCommandChannel(
    mux,
    (event) => {
      if (event.method === 'Target.attachedToTarget') {
        const target = getTarget(event);
        targets.set(target.sessionId, target);
        const judged = welcome(channel, target);
        if (!isReady) known.push(judged);
      }
      if (event.method === 'Target.detachedFromTarget') targets.delete(text(event.params?.['sessionId']));
      const target = targets.get(event.sessionId ?? '');
      if (event.method !== 'Fetch.requestPaused' || target === undefined) return;
      const paused = getPaused(event);
      void judge(target, paused);
    },
    guarded,
  );
  const ready = async (): Promise<void> => {
    await channel.ask({ method: 'Target.setAutoAttach', params: attach });
    // Existing pages are announced before the reply.
    await Promise.all(known);
  };
  try {
    await within(attachTimeoutMs, ready(), 'The browser did not let its pages be judged in time.');
  } catch (error) {
    await channel.close();
    throw error;
  }
  isReady = true;
  return {
    follow: (next) => void (mayShow = next),
    close: () => channel.close(),
  };
}

/**
 * Returns which frame of the page a request is for. The main frame has the id of the target, except in a page that was
 * prerendered. `none`: the page has no such frame, for example because its document was replaced while the frame was
 * loading.
 */
async function findFrame(
  channel: CommandChannel,
  { sessionId, targetId }: Target,
  { frameId }: Paused,
): Promise<'main' | 'subframe' | 'none'> {
  if (frameId === targetId) return 'main';
  const { result } = await channel.ask({ method: 'Page.getFrameTree', sessionId });
  const root = result?.['frameTree'];
  if (getFrameId(root) === frameId) return 'main';
  const waiting = childFrames(root);
  for (let tree = waiting.pop(); tree !== undefined; tree = waiting.pop()) {
    if (getFrameId(tree) === frameId) return 'subframe';
    waiting.push(...childFrames(tree));
  }
  return 'none';
}

function getFrameId(tree: unknown): unknown {
  return getMember(getMember(tree, 'frame'), 'id');
}

function childFrames(tree: unknown): unknown[] {
  const children = getMember(tree, 'childFrames');
  return Array.isArray(children) ? [...children] : [];
}

/**
 * Starts to check the requests of a new page, and then resumes the page. Closes the page if its requests cannot be
 * checked.
 */
async function welcome(channel: CommandChannel, { sessionId, targetId }: Target): Promise<void> {
  // Some Chromiums ignore the flags against prerendering. A Chromium without this command does not prerender.
  void channel.ask({ method: 'Page.setPrerenderingAllowed', params: { isAllowed: false }, sessionId });
  const { error } = await channel.ask({ method: 'Fetch.enable', params: { patterns }, sessionId });
  if (error === undefined) void channel.ask({ method: 'Runtime.runIfWaitingForDebugger', sessionId });
  else await channel.ask({ method: 'Target.closeTarget', params: { targetId } });
}

function letThrough(channel: CommandChannel, { sessionId }: Target, { requestId }: Paused): void {
  void channel.ask({ method: 'Fetch.continueRequest', params: { requestId }, sessionId });
}

function keepBack(channel: CommandChannel, { sessionId, targetId, isPopup }: Target, { requestId }: Paused): void {
  // A response without content keeps the page where it is; a failure would show the browser's error page.
  void channel.ask({ method: 'Fetch.fulfillRequest', params: { requestId, responseCode: 204 }, sessionId });
  if (isPopup) void closeIfEmpty(channel, targetId);
}

/** Closes a popup whose first navigation was blocked, unless it already shows a page. */
async function closeIfEmpty(channel: CommandChannel, targetId: string): Promise<void> {
  const { result } = await channel.ask({ method: 'Target.getTargetInfo', params: { targetId } });
  const shown = text(getMember(result?.['targetInfo'], 'url'));
  if (shown === '' || shown === 'about:blank')
    await channel.ask({ method: 'Target.closeTarget', params: { targetId } });
}

interface Target {
  readonly sessionId: string;
  readonly targetId: string;
  /** Whether another page opened the page. */
  readonly isPopup: boolean;
}

function getTarget({ params }: CdpMessage): Target {
  const info = params?.['targetInfo'];
  const isPopup = getMember(info, 'openerId') !== undefined;
  return { sessionId: text(params?.['sessionId']), targetId: text(getMember(info, 'targetId')), isPopup };
}

interface Paused {
  readonly requestId: string;
  readonly address: string;
  readonly frameId: string;
}

function getPaused({ params }: CdpMessage): Paused {
  const address = text(getMember(params?.['request'], 'url'));
  return { requestId: text(params?.['requestId']), address, frameId: text(params?.['frameId']) };
}

function getMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

import type { BrowserContext, Page } from 'playwright-core';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { type CommandChannel, openCommandChannel } from '../pipe/command-channel.ts';
import { within } from '../within.ts';
import type { RunStep } from './tab.ts';

/** Keeps the pages of a browser where they may be. */
export interface Confinement {
  /** From now on pages go only where the rule allows, null for everywhere; settles when that holds for every page. */
  set(mayShow: MayShow | null): Promise<void>;
  /** Whether the rule of the moment allows an address. */
  allows(address: string): boolean;
  /** Records from now on whether a page was blocked, until it is stopped. */
  watch(): RefusalWatch;
}

/** Blocked navigations during an observation. */
export interface RefusalWatch {
  /** Settles when a page is kept from leaving. */
  readonly refused: Promise<void>;
  /** The address that a page was last kept from, or null. */
  address(): string | null;
  stop(): void;
}

/** A browser whose pages may go everywhere, until a rule is set. */
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

/** Leaves every page that is where it may not be; settles when none is. */
export async function leaveForbiddenPages(
  context: BrowserContext,
  { mayShow, runStep }: { readonly mayShow: MayShow; readonly runStep: RunStep },
): Promise<void> {
  const forbidden = context.pages().filter((page) => !mayShow(page.url()));
  const leave = (page: Page): Promise<unknown> =>
    runStep('Could not leave the page', (signal) => page.goto('about:blank', { signal }));
  await Promise.all(forbidden.map(leave));
}

/** Decides whether a page of that address may be shown. */
export type MayShow = (address: string) => boolean;

/** Judges where the pages of a browser go. */
export interface PageGuard {
  /** Judges by another rule from now on. */
  follow(mayShow: MayShow): void;
  /** Judges no more. */
  close(): Promise<void>;
}

/** Options of a page guard: the rule, and the callback for blocked addresses. */
export interface GuardOptions {
  readonly mayShow: MayShow;
  readonly onRefused: (address: string) => void;
}

/** Some milliseconds, unless a page has gone while it was asked. */
const ATTACH_TIMEOUT_MS = 15_000;

/** Only documents stop, each time before they are asked for. */
const patterns = [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Request' }];
const guarded = ['page'];
const filter = guarded.map((type) => ({ type }));
const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };

/**
 * Judges every request for a page's document, redirects included, before it is sent. Through a DevTools client of its own,
 * which holds a new page until it is judged as well: a popup could be elsewhere before anybody had seen it. What a page loads
 * for itself, frames included, is not judged. Settles when every page is judged.
 */
export async function attachPageGuard(mux: CdpMux, { mayShow: first, onRefused }: GuardOptions): Promise<PageGuard> {
  const targets = new Map<string, Target>();
  const known: Promise<void>[] = [];
  let isReady = false;
  let mayShow = first;
  const judge = async (target: Target, paused: Paused): Promise<void> => {
    if (mayShow(paused.address) || (await isSubframe(channel, target, paused)))
      return letThrough(channel, target, paused);
    onRefused(paused.address);
    keepBack(channel, target, paused);
  };
  const channel = await openCommandChannel(
    mux,
    (event) => {
      if (event.method === 'Target.attachedToTarget') {
        const target = targetOf(event);
        targets.set(target.sessionId, target);
        const judged = welcome(channel, target);
        if (!isReady) known.push(judged);
      }
      if (event.method === 'Target.detachedFromTarget') targets.delete(text(event.params?.['sessionId']));
      const target = targets.get(event.sessionId ?? '');
      if (event.method !== 'Fetch.requestPaused' || target === undefined) return;
      const paused = pausedOf(event);
      void judge(target, paused);
    },
    guarded,
  );
  const ready = async (): Promise<void> => {
    await channel.ask({ method: 'Target.setAutoAttach', params: attach });
    // The pages that were there have been announced before the answer.
    await Promise.all(known);
  };
  try {
    await within(ATTACH_TIMEOUT_MS, ready(), 'The browser did not let its pages be judged in time.');
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
 * Tells whether a request is for a frame inside of the page. The main frame has the id of the target, except in a page that was
 * prerendered; a frame that the page does not know counts as the main one.
 */
async function isSubframe(
  channel: CommandChannel,
  { sessionId, targetId }: Target,
  { frameId }: Paused,
): Promise<boolean> {
  if (frameId === targetId) return false;
  const { result } = await channel.ask({ method: 'Page.getFrameTree', sessionId });
  const waiting = childFrames(result?.['frameTree']);
  for (let tree = waiting.pop(); tree !== undefined; tree = waiting.pop()) {
    if (memberOf(memberOf(tree, 'frame'), 'id') === frameId) return true;
    waiting.push(...childFrames(tree));
  }
  return false;
}

function childFrames(tree: unknown): unknown[] {
  const children = memberOf(tree, 'childFrames');
  return Array.isArray(children) ? [...children] : [];
}

/** Settles when the page is judged, and lets it go on then; one that cannot be judged is closed. */
async function welcome(channel: CommandChannel, { sessionId, targetId }: Target): Promise<void> {
  // For a Chromium that does not know the flags against prerendering: one without this command does not prerender.
  void channel.ask({ method: 'Page.setPrerenderingAllowed', params: { isAllowed: false }, sessionId });
  const { error } = await channel.ask({ method: 'Fetch.enable', params: { patterns }, sessionId });
  if (error === undefined) void channel.ask({ method: 'Runtime.runIfWaitingForDebugger', sessionId });
  else await channel.ask({ method: 'Target.closeTarget', params: { targetId } });
}

function letThrough(channel: CommandChannel, { sessionId }: Target, { requestId }: Paused): void {
  void channel.ask({ method: 'Fetch.continueRequest', params: { requestId }, sessionId });
}

function keepBack(channel: CommandChannel, { sessionId, targetId, isPopup }: Target, { requestId }: Paused): void {
  // An answer without content leaves the page where it is; a failure would show the browser's own error page.
  void channel.ask({ method: 'Fetch.fulfillRequest', params: { requestId, responseCode: 204 }, sessionId });
  if (isPopup) void closeIfEmpty(channel, targetId);
}

/** A popup that has shown nothing goes with what it was opened for. */
async function closeIfEmpty(channel: CommandChannel, targetId: string): Promise<void> {
  const { result } = await channel.ask({ method: 'Target.getTargetInfo', params: { targetId } });
  const shown = text(memberOf(result?.['targetInfo'], 'url'));
  if (shown === '' || shown === 'about:blank')
    await channel.ask({ method: 'Target.closeTarget', params: { targetId } });
}

interface Target {
  readonly sessionId: string;
  readonly targetId: string;
  /** Whether another page opened it. */
  readonly isPopup: boolean;
}

function targetOf({ params }: CdpMessage): Target {
  const info = params?.['targetInfo'];
  const isPopup = memberOf(info, 'openerId') !== undefined;
  return { sessionId: text(params?.['sessionId']), targetId: text(memberOf(info, 'targetId')), isPopup };
}

interface Paused {
  readonly requestId: string;
  readonly address: string;
  readonly frameId: string;
}

function pausedOf({ params }: CdpMessage): Paused {
  const address = text(memberOf(params?.['request'], 'url'));
  return { requestId: text(params?.['requestId']), address, frameId: text(params?.['frameId']) };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

import type { JsonObject } from '#lib/json.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { type Command, type CommandChannel, openCommandChannel } from '../pipe/command-channel.ts';
import { within } from '../within.ts';
import type { BrowserIdentity } from './browser-identity.ts';
import { earlyScript } from './early-script.ts';

/** The browser identity as it is applied to every page, frame and worker before the first script runs there. */
export interface Disguise {
  /**
   * Returns null when the identity is applied to a target, or the target is unknown. Otherwise returns a promise that
   * resolves when the identity is applied or the target has disappeared. Never rejects.
   */
  pending(targetId: string): Promise<void> | null;
}

/** Timeout for applying the identity to existing pages, which normally takes some milliseconds. */
const timeoutMs = 15_000;

/**
 * Returns the parameters of `Target.setAutoAttach` that attach to new targets of these types and pause them. Without
 * the filter, the session of a page would also announce popups of this page.
 */
function attachTo(types: readonly string[]): JsonObject {
  return { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: types.map((type) => ({ type })) };
}
const guarded = ['page', 'shared_worker', 'service_worker'];
const ofBrowser = attachTo(guarded);
const ofTarget = attachTo(['iframe', 'worker']);

/**
 * Applies the identity to every page, frame and worker of a browser before its first script, including those that
 * external clients open. For this, an internal DevTools client pauses each new target. If a client overrides the user
 * agent itself, its override applies, because the last override counts. Resolves when the identity is applied to
 * existing targets. Rejects after 15 s.
 */
export async function wearDisguise(mux: CdpMux, identity: BrowserIdentity): Promise<Disguise> {
  const pending = new Map<string, Telling>();
  const channel = await openCommandChannel(
    mux,
    (event) => {
      const sessionId = event.params?.['sessionId'];
      if (event.method === 'Target.detachedFromTarget' && typeof sessionId === 'string') pending.get(sessionId)?.done();
      const target = getAttached(event);
      if (target === null) return;
      const { promise: told, resolve: done } = Promise.withResolvers<void>();
      pending.set(target.sessionId, { ...target, told, done });
      void told.then(() => pending.delete(target.sessionId));
      void tell(channel, identity, target).then(done);
    },
    guarded,
  );
  const ready = async (): Promise<void> => {
    await channel.ask({ method: 'Target.setAutoAttach', params: ofBrowser });
    // Existing targets are announced before the reply.
    await Promise.all(Array.from(pending.values(), ({ told }) => told));
  };
  await within(timeoutMs, ready(), 'The browser did not take its identity in time.');
  return {
    pending: (targetId) => Array.from(pending.values()).find((telling) => telling.targetId === targetId)?.told ?? null,
  };
}

interface Attached {
  readonly sessionId: string;
  readonly targetId: string;
  readonly type: string;
}

interface Telling extends Attached {
  readonly told: Promise<void>;
  /** Resolves `told`. Called when the identity is applied to the target, or the target has disappeared. */
  readonly done: () => void;
}

/** Returns the target of an attach event; null for any other message. */
function getAttached({ method, params }: CdpMessage): Attached | null {
  if (method !== 'Target.attachedToTarget') return null;
  const info = params?.['targetInfo'];
  const member = (name: string): unknown =>
    typeof info === 'object' && info !== null ? Reflect.get(info, name) : undefined;
  const [sessionId, targetId, type] = [params?.['sessionId'], member('targetId'), member('type')];
  return typeof sessionId === 'string' && typeof targetId === 'string' && typeof type === 'string'
    ? { sessionId, targetId, type }
    : null;
}

/**
 * Applies the identity to a paused target. Sends all commands at once; the target executes them in order and resumes
 * with the last. Chromium answers some of the commands only after the target has resumed. Waits for all replies,
 * because a client's command after the first navigation may reach another process. An error means that the target has
 * disappeared.
 */
async function tell(channel: CommandChannel, identity: BrowserIdentity, { sessionId, type }: Attached): Promise<void> {
  const { userAgent, userAgentMetadata, acceptLanguage } = identity;
  const commands: Command[] = [
    { method: 'Emulation.setUserAgentOverride', params: { userAgent, userAgentMetadata, acceptLanguage } },
    ...scriptFor(type),
    { method: 'Target.setAutoAttach', params: ofTarget },
    { method: 'Runtime.runIfWaitingForDebugger' },
  ];
  await Promise.all(commands.map((command) => channel.ask({ ...command, sessionId })));
}

/**
 * Returns the commands that run the early script in a target of this type. In a page the script runs in every document
 * of its frames; in a worker it runs once.
 */
function scriptFor(type: string): Command[] {
  if (type !== 'page' && type !== 'iframe')
    return [{ method: 'Runtime.evaluate', params: { expression: earlyScript, silent: true } }];
  return [
    { method: 'Page.enable' },
    { method: 'Page.addScriptToEvaluateOnNewDocument', params: { source: earlyScript, runImmediately: true } },
  ];
}

/** Options that the stealth flags depend on. */
export interface StealthOptions {
  /** Browser identity; null or absent hides nothing. */
  readonly identity?: BrowserIdentity | null;
  /** Window size in CSS pixels. */
  readonly screen: { readonly width: number; readonly height: number };
}

/**
 * Minimum size of the screen that pages see, the most common size. The headless default of 800 by 600 pixels would be
 * conspicuous.
 */
const defaultScreen = { width: 1920, height: 1080 };

/**
 * Returns flags that hide signs of automation; none without an identity. They apply to every page, frame and worker,
 * beginning with the first request. Pages cannot see the flags.
 */
export function stealthFlags({ identity = null, screen }: StealthOptions): string[] {
  if (identity === null) return [];
  const width = Math.max(defaultScreen.width, screen.width);
  const height = Math.max(defaultScreen.height, screen.height);
  const [language = ''] = identity.acceptLanguage.split(',', 1);
  return [
    // navigator.webdriver is false, as in browsers that people use.
    '--disable-blink-features=AutomationControlled',
    `--user-agent=${identity.userAgent}`,
    `--lang=${language}`,
    `--accept-lang=${identity.acceptLanguage}`,
    `--screen-info={${width}x${height}}`,
    // A mouse with hover: a headless browser reports no pointer.
    '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
  ];
}

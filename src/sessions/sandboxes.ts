import type { HostedBrowser } from '#browsers/host.ts';
import type { CustomProxy } from '#browsers/index.ts';
import { type KnownSecrets, createKnownSecrets } from '#agent/redaction/hide-in-task.ts';

/**
 * State of a session that exists only in this process: its browser, its running tasks, and the secrets of its tasks.
 */
export interface Sandbox {
  browser: HostedBrowser | undefined;
  /**
   * The pending start of the browser, which concurrent callers share; undefined without one. Rejects only when a failed
   * start cannot be recorded.
   */
  launching: Promise<HostedBrowser | null> | undefined;
  /** Traffic of this browser that is already stored in the database, in bytes. */
  bookedBytes: number;
  /**
   * Abort controllers of the running tasks by run id. An aborted task may still be ending, while the next task waits
   * for its turn.
   */
  readonly tasks: Map<string, AbortController>;
  /** Proxy that the latest run requests for the next browser; never stored. Null without a proxy. */
  runProxy: CustomProxy | null;
  /**
   * Secrets of the current and of earlier tasks. A later task that reads the pages of this browser must not see these
   * secrets either.
   */
  readonly known: KnownSecrets;
  /**
   * Whether a secret was typed into this browser; its pages may show the secret, so no picture of these pages is kept.
   */
  hasTyped: boolean;
  /** True once the session has released the sandbox; a browser that is still starting for the sandbox must then end. */
  closed: boolean;
  /** Aborted when the sandbox is released, so that a waiting browser start is cancelled. */
  readonly givenUp: AbortController;
}

/** The active sandboxes of this process, by session id. */
export interface Sandboxes {
  get(sessionId: string): Sandbox | undefined;
  /** Returns the sandbox of a session, creating it if needed. */
  ensure(sessionId: string): Sandbox;
  /** Aborts the tasks of a session, or only those of `runIds`. */
  endTasks(sessionId: string, kind: TaskEndKind, runIds?: readonly string[]): void;
  /** Ends the browser of a session, if any, and forgets the sandbox. A second call waits for the same end. */
  close(sessionId: string): Promise<void>;
  /** Resolves when all released browsers of a session have ended and freed their resources. */
  gone(sessionId: string): Promise<void>;
  /** Resolves when the released browsers of all sessions have ended and freed their resources. */
  allGone(): Promise<void>;
  /** Returns whether a released browser of the session has not ended yet. */
  isLeaving(sessionId: string): boolean;
  /** Returns the traffic of the session's browser that is not stored in the database yet, in bytes. */
  unbookedBytes(sessionId: string): number;
  /**
   * Returns the bytes of {@link Sandboxes.unbookedBytes} and marks them as booked. Call it only in the transaction that
   * writes them.
   */
  bookBytes(sessionId: string): number;
  /** Remembers the booked traffic of a session; the returned function restores it after a failed transaction. */
  holdBooked(sessionId: string): () => void;
  ids(): string[];
}

/** A browser that the session has released and that is stopping. */
interface Leaving {
  /** Settles when the browser has stopped and its profile is released. */
  readonly left: Promise<void>;
  /**
   * Promise that callers of `close` await. It equals `left`, except during a pending launch: then it waits only for a
   * running browser to stop, because the launch itself may call `close`.
   */
  readonly stopped: Promise<void>;
}

/**
 * Creates an empty set of sandboxes. `onGone` is called when a released sandbox has no browser any more; it must not
 * reject.
 */
export function createSandboxes(onGone: (sessionId: string) => Promise<void> = async () => undefined): Sandboxes {
  const sandboxes = new Map<string, Sandbox>();
  const leaving = new Map<string, Leaving>();
  return {
    get: (sessionId) => sandboxes.get(sessionId),
    ensure(sessionId) {
      const known = sandboxes.get(sessionId) ?? {
        browser: undefined,
        launching: undefined,
        bookedBytes: 0,
        tasks: new Map(),
        runProxy: null,
        known: createKnownSecrets(),
        hasTyped: false,
        closed: false,
        givenUp: new AbortController(),
      };
      sandboxes.set(sessionId, known);
      return known;
    },
    endTasks(sessionId, kind, runIds) {
      const tasks = sandboxes.get(sessionId)?.tasks ?? [];
      for (const [runId, task] of tasks) if (runIds?.includes(runId) !== false) task.abort(new TaskEnd(kind));
    },
    async close(sessionId) {
      const sandbox = sandboxes.get(sessionId);
      // A session that ended before it had a sandbox may still hold a profile lock, which `onGone` releases.
      if (sandbox === undefined) return leaving.get(sessionId)?.stopped ?? onGone(sessionId);
      sandboxes.delete(sessionId);
      sandbox.closed = true;
      sandbox.givenUp.abort(new Error('The sandbox was given up.'));
      const stopped = sandbox.browser?.stop();
      const left = Promise.allSettled([leaving.get(sessionId)?.left, sandbox.launching, stopped]).then(() =>
        onGone(sessionId),
      );
      // The caller may be the start of this browser, which cannot wait for itself.
      const closing = { left, stopped: sandbox.launching === undefined ? left : Promise.resolve(stopped) };
      leaving.set(sessionId, closing);
      void left.finally(() => leaving.get(sessionId) === closing && leaving.delete(sessionId));
      await closing.stopped;
    },
    async gone(sessionId) {
      await leaving.get(sessionId)?.left;
    },
    isLeaving: (sessionId) => leaving.has(sessionId),
    async allGone() {
      await Promise.all([...leaving.values()].map(({ left }) => left));
    },
    unbookedBytes: (sessionId) => unbooked(sandboxes.get(sessionId)),
    bookBytes(sessionId) {
      const sandbox = sandboxes.get(sessionId);
      const bytes = unbooked(sandbox);
      if (sandbox !== undefined) sandbox.bookedBytes += bytes;
      return bytes;
    },
    holdBooked(sessionId) {
      const sandbox = sandboxes.get(sessionId);
      const before = sandbox?.bookedBytes ?? 0;
      return () => {
        if (sandbox !== undefined) sandbox.bookedBytes = before;
      };
    },
    ids: () => [...sandboxes.keys()],
  };
}

function unbooked(sandbox: Sandbox | undefined): number {
  return sandbox?.browser === undefined ? 0 : Math.max(sandbox.browser.trafficBytes() - sandbox.bookedBytes, 0);
}

/** Reason why a task was ended from outside. */
export type TaskEndKind = 'stopped' | 'ceiling' | 'unserved' | 'crash' | 'shutdown';

/** Reason of a task's abort signal. */
export class TaskEnd extends Error {
  override readonly name = 'TaskEnd';
  readonly kind: TaskEndKind;
  /** Reason in the record of the task. */
  readonly reason: string;

  constructor(kind: TaskEndKind, reason = kind === 'ceiling' ? 'cost ceiling reached' : kind) {
    super(`the task was ended: ${kind}`);
    this.kind = kind;
    this.reason = reason;
  }
}

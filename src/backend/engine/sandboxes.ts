import type { HostedBrowser } from '../browsers/host.ts';
import { TaskEnd, type TaskEndKind } from './task-end.ts';

/** What of a session lives only in this process: its browser and the task that runs. */
export interface Sandbox {
  browser: HostedBrowser | undefined;
  /** Traffic of this browser that the database already knows, in bytes. */
  bookedBytes: number;
  task: AbortController | undefined;
  /** True once the session has ended: what was still being started for it has no owner any more. */
  closed: boolean;
}

/** The living sandboxes of this process, by session id. */
export interface Sandboxes {
  get(sessionId: string): Sandbox | undefined;
  /** The sandbox of a session, made when there is none. */
  ensure(sessionId: string): Sandbox;
  /** Aborts the task that runs in a session, if any. */
  endTask(sessionId: string, kind: TaskEndKind): void;
  /** Ends the browser of a session, if any, and forgets the sandbox. */
  close(sessionId: string): Promise<void>;
  /** Traffic of the session's browser that the database does not know yet, in bytes. */
  unbookedBytes(sessionId: string): number;
  ids(): string[];
}

/** An empty set of sandboxes. */
export function createSandboxes(): Sandboxes {
  const sandboxes = new Map<string, Sandbox>();
  return {
    get: (sessionId) => sandboxes.get(sessionId),
    ensure(sessionId) {
      const known = sandboxes.get(sessionId) ?? { browser: undefined, bookedBytes: 0, task: undefined, closed: false };
      sandboxes.set(sessionId, known);
      return known;
    },
    endTask(sessionId, kind) {
      sandboxes.get(sessionId)?.task?.abort(new TaskEnd(kind));
    },
    async close(sessionId) {
      const sandbox = sandboxes.get(sessionId);
      if (sandbox === undefined) return;
      sandboxes.delete(sessionId);
      sandbox.closed = true;
      await sandbox.browser?.stop();
    },
    unbookedBytes(sessionId) {
      const sandbox = sandboxes.get(sessionId);
      return sandbox?.browser === undefined ? 0 : Math.max(sandbox.browser.trafficBytes() - sandbox.bookedBytes, 0);
    },
    ids: () => [...sandboxes.keys()],
  };
}

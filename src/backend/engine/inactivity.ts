import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
import { transition } from './transition.ts';

/** Watches for idle sessions that nobody uses: one timer for all of them. */
export interface InactivityWatch {
  /** Looks again at when the next session times out. */
  rearm(engine: EngineState): Promise<void>;
  close(): void;
}

/** A watch without a timer; `rearm` sets it. */
export function createInactivityWatch(): InactivityWatch {
  let cancel: (() => void) | undefined;
  let closed = false;
  const watch: InactivityWatch = {
    async rearm(engine) {
      const { oldest } = await engine.db
        .selectFrom('sessions')
        .select((eb) => eb.fn.min('active_at').as('oldest'))
        .where('status', '=', 'idle')
        .executeTakeFirstOrThrow();
      cancel?.();
      cancel = undefined;
      // min() of no rows is null in SQL, whatever the column's type says.
      if (closed || (oldest as number | null) === null) return;
      cancel = engine.clock.at(oldest + engine.limits.inactivityMs, () =>
        engine.inBackground('time out idle sessions', () => timeOut(engine)),
      );
    },
    close() {
      closed = true;
      cancel?.();
    },
  };
  return watch;
}

async function timeOut(engine: EngineState): Promise<void> {
  const due = await engine.db
    .selectFrom('sessions')
    .select('id')
    .where('status', '=', 'idle')
    .where('active_at', '<=', engine.clock.now() - engine.limits.inactivityMs)
    .execute();
  for (const { id } of due) {
    const moved = await transition(engine, {
      sessionId: id,
      move: { id: 'inactivity' },
      // It may have worked on a task since it was listed.
      onlyIf: (session) => session.active_at <= engine.clock.now() - engine.limits.inactivityMs,
      set: (seen) => closedMeters(engine, seen.session),
    });
    if (moved !== null) await engine.sandboxes.close(id);
  }
  await engine.rearmInactivity();
}

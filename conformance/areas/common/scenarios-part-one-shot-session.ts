import type { Scenario } from '../../core/scenario.ts';
import { type Observation, type SessionObservation, fetchSession, runTask } from './scenarios-part-observed-session.ts';

/** A session with one task and nothing else asked for. */
export interface OneShot extends SessionObservation {
  /** Two fetches after the end. */
  after: Observation[];
}

/** One task without keepAlive, model or level. */
export const oneShotSession: Scenario<OneShot> = {
  name: 'one-shot-session',
  creates: 'one V3 session with one task that succeeds',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  drive: (drive) =>
    drive.live(async () => {
      const session = await runTask(drive, { task: drive.target.tasks.succeed, keepAlive: false });
      return { ...session, after: [await fetchSession(drive, session.id), await fetchSession(drive, session.id)] };
    }),
};

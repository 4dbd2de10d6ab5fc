import { textOf } from '../../core/json.ts';
import { limits } from '#generated/rules.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ControlClock } from '../../transport/control.ts';
import type { Exchange } from '../../core/exchange.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { type Observation, fetchSession, runTask } from '../common/scenarios-part-observed-session.ts';

/** A kept session whose target's clock is moved. */
export interface ClockedSession {
  /** The screenshot's address, fetched at once, shortly before and shortly after its end; undefined when it had none. */
  screenshot: { fresh: Exchange; before: Exchange; after: Exchange } | undefined;
  /** Status before the inactivity period. */
  before: string;
  /** The session after it; undefined when the target file states no period. */
  inactive: Observation | undefined;
}

const lifetime = limits.limits.find(({ limit }) => limit === 'screenshotUrlLifetime');
const lifetimeMs = lifetime !== undefined && 'value' in lifetime ? lifetime.value : 300_000;
/** How near to the limit an address is fetched. */
const marginMs = 15_000;

/** Moves the clock of the target past the life of a screenshot and past the inactivity period. */
export const clockedSession: Scenario<ClockedSession> = {
  name: 'clocked-session',
  creates: 'one V3 session that is kept while the clock of the target is moved',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  movesClock: true,
  unavailable: ({ control }) =>
    control === null ? 'needs a long wait, or a control address in the target file (control)' : undefined,
  drive: (drive) => drive.live(() => driveClock(drive)),
};

async function driveClock(drive: Drive): Promise<ClockedSession> {
  if (drive.clock === undefined) throw new NotTestable('the target file names no control address');
  const session = await runTask(drive, { task: drive.target.tasks.succeed, keepAlive: true });
  const { record } = await fetchSession(drive, session.id);
  const screenshot = await watchScreenshot(drive, drive.clock, record['screenshotUrl']);
  const before = textOf((await fetchSession(drive, session.id)).record['status']);
  return { screenshot, before, inactive: await passInactivity(drive, drive.clock, session.id) };
}

async function watchScreenshot(
  drive: Drive,
  clock: ControlClock,
  address: unknown,
): Promise<ClockedSession['screenshot']> {
  if (typeof address !== 'string') return undefined;
  const look = (): Promise<Exchange> =>
    drive.send({ generation: 'other', operation: 'screenshot', method: 'GET', path: address, key: 'none' });
  const fresh = await look();
  await clock.advance(lifetimeMs - marginMs);
  const before = await look();
  await clock.advance(2 * marginMs);
  return { fresh, before, after: await look() };
}

async function passInactivity(drive: Drive, clock: ControlClock, id: string): Promise<Observation | undefined> {
  const { inactivityMs } = drive.target.limits;
  if (inactivityMs === null) return undefined;
  // A fetch could count as activity, so the clock moves once, and then the session is looked at.
  await clock.advance(inactivityMs + marginMs);
  const deadline = drive.nowMs() + drive.target.polling.settleDeadlineMs;
  let seen = await fetchSession(drive, id);
  while (seen.record['status'] === 'idle' && drive.nowMs() < deadline) {
    await drive.pause(drive.target.polling.intervalMs);
    seen = await fetchSession(drive, id);
  }
  return seen;
}

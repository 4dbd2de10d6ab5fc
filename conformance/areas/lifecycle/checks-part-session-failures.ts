import { type Check, type CheckContext, check } from '../../core/check.ts';
import { textOf } from '../../core/json.ts';
import { type FailedSandbox, crashedSession, failedStart } from './scenarios.ts';
import { deadlinePassed } from '../common/target-facts.ts';
import { show } from '../common/session-records.ts';

/** V3 sessions whose sandbox was made to fail through the control address. */
export const sessionFailureChecks: readonly Check[] = [
  check('LIFE-08', { needs: [failedStart, crashedSession] }, async (t) => {
    const failures = [await t.recording(failedStart), crashed(t, await t.recording(crashedSession))];
    for (const { session, later } of failures) {
      const { record, exchange } = later ?? session.end;
      const message = `a session whose sandbox had failed is ${show(record['status'])} when it is looked at again; expected error for good`;
      t.expect(record['status'] === 'error', { exchange, member: '/status', message });
      t.expect(record['isTaskSuccessful'] !== true, {
        exchange,
        member: '/isTaskSuccessful',
        message: 'a session whose sandbox had failed says that its task was a success',
      });
    }
  }),
  check('LIFE-10', { needs: [failedStart] }, async (t) => {
    const { session, later } = await t.recording(failedStart);
    const statuses = session.fetches.map(({ record }) => textOf(record['status']));
    if (later === undefined) deadlinePassed(t, 'startDeadlineMs');
    const message = `a session whose sandbox cannot start was ${statuses.join(', ')}; expected created and then error`;
    const legal = statuses.every((status) => ['created', 'error'].includes(status));
    t.expect(legal && statuses.at(-1) === 'error', { exchange: session.end.exchange, member: '/status', message });
  }),
  check('LIFE-19', { needs: [crashedSession] }, async (t) => {
    const { session, before, later } = crashed(t, await t.recording(crashedSession));
    const { record, exchange } = session.end;
    if (later === undefined) deadlinePassed(t, 'startDeadlineMs');
    const message = `a session was ${textOf(before)}, and after the loss of its sandbox it is ${show(record['status'])}; expected error`;
    t.expect(record['status'] === 'error', { exchange, member: '/status', message });
  }),
];

function crashed(t: CheckContext, failed: FailedSandbox): FailedSandbox {
  const { before } = failed;
  // A session that is still starting has no sandbox to lose, and one that has ended neither.
  if (before !== 'running')
    t.notTestable(`the session was ${textOf(before)}, not running, before its sandbox was lost`);
  return failed;
}

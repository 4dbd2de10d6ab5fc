import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { clockedAddresses } from './scenarios.ts';
import { refusesAlterations } from '../../common/judgement.ts';
import type { GuardedAddress } from '../../common/signed-urls.ts';
import { messageSession } from '../v3-messages/scenarios.ts';
import { taskOptions } from '../v2-tasks/scenarios-options.ts';
import { taskSession } from '../v2-tasks/scenarios.ts';

const needs = [taskSession, taskOptions, messageSession];

/**
 * Checks of signed URLs. A URL must work without a key, and only within its lifetime. A URL for reading must also
 * refuse a PUT and a modified path, and its query must have at least one member whose change is refused.
 */
export const addressChecks: readonly Check[] = [
  check('ADDRESS-01', { needs }, async (t) => {
    for (const { what, opened, altered } of await guarded(t)) {
      t.expect(succeeded(opened), {
        cell: what,
        exchange: opened,
        message: `the address of ${what} ${describeAnswer(opened)}; expected success`,
      });
      refusesAlterations(t, { altered, what: `the address of ${what}`, cell: what });
    }
  }),
  check('ADDRESS-02', { needs }, async (t) => {
    for (const { what, written } of await guarded(t)) {
      const message = `the address of ${what} takes bytes: PUT ${describeAnswer(written)}; expected a refusal`;
      t.expect(refused(written), { cell: what, exchange: written, message });
    }
  }),
  check('ADDRESS-03', { needs: [clockedAddresses] }, async (t) => {
    for (const { what, before, after } of await t.recording(clockedAddresses)) {
      const early = `the ${what} address ${describeAnswer(before)} shortly before its end; expected it to open`;
      t.expect(succeeded(before), { cell: what, exchange: before, message: early });
      const late = `the ${what} address ${describeAnswer(after)} after its end; expected a refusal`;
      t.expect(refused(after), { cell: what, exchange: after, message: late });
    }
  }),
];

async function guarded(t: CheckContext): Promise<GuardedAddress[]> {
  const [session, task, messages] = [
    await t.recording(taskSession),
    await t.recording(taskOptions),
    await t.recording(messageSession),
  ];
  const found = [session.log.guarded, task.written?.guarded, messages.screenshot].filter((item) => item !== undefined);
  if (found.length === 0) t.notTestable('no such address was handed out');
  return found;
}

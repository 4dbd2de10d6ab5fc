import { type Check, check } from '../../core/check.ts';
import { describeAnswer } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import { refusedChanges } from './scenarios-part-refused-changes.ts';
import { refusedCreations } from './scenarios-refused-creations.ts';
import { show } from '../common/session-records.ts';
import { isSame } from '../common/checks-part-seen.ts';

/** What is refused has no effect, operation by operation. */
export const refusedEffectChecks: readonly Check[] = [
  check('EFFECT-01', { needs: [refusedCreations] }, async (t) => {
    for (const { operation, exchange, appeared } of await t.recording(refusedCreations)) {
      // Other clients may create things too, but hardly in both rounds.
      const made = appeared.every((ids) => ids.length > 0);
      const message = `${operation} was refused (${describeAnswer(exchange)}), and ${show(appeared.at(-1)?.[0] ?? null)} appeared in its lists`;
      t.expect(!made, { cell: operation, exchange, message });
    }
  }),
  check('EFFECT-02', { needs: [refusedChanges] }, async (t) => {
    for (const { operation, before, refusal, after } of await t.recording(refusedChanges)) {
      for (const member of ['name', 'userId', 'files', 'archived']) {
        const [was, is] = [memberAt(before.json, member) ?? null, memberAt(after.json, member) ?? null];
        const message = `${operation} was refused (${describeAnswer(refusal)}), and ${member} changed from ${show(was)} to ${show(is)}`;
        t.expect(isSame(was, is), { cell: operation, exchange: refusal, message });
      }
    }
  }),
];

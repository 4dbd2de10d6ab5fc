import { type Check, check } from '../../core/check.ts';
import { describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { ownKeyRefusals } from './scenarios-part-own-key-refusals.ts';
import { sessionRefusals } from './scenarios-part-session-refusals.ts';
import { taskRefusals } from '../v2-tasks/scenarios-part-task-refusals.ts';
import { expectRefused } from '../common/checks-part-expect-refused.ts';
import { levelTemplate, sameSet, supportedList, wordsOf } from '../common/checks-part-refusal-text.ts';

/** V3: pairs, models and options that must be refused. */
export const sessionRefusalChecks: readonly Check[] = [
  check('V3-THINK-REFUSES', { needs: [sessionRefusals] }, async (t) => {
    expectRefused(t, (await t.recording(sessionRefusals)).cells, '422');
  }),
  check('ERR-06', { needs: [sessionRefusals] }, async (t) => {
    expectRefused(t, (await t.recording(sessionRefusals)).cells, '422');
  }),
  check('V3-THINK-25', { needs: [sessionRefusals] }, async (t) => {
    const { withOwnKey, withoutOwnKey } = await t.recording(sessionRefusals);
    for (const { cell, exchange } of withOwnKey.probes) {
      const other = withoutOwnKey.probes.find((probe) => probe.cell.key === cell.key)?.exchange;
      if (other === undefined) continue;
      const lists = [exchange, other].map((answer) => supportedList(answer, levelTemplate(cell.names, cell.level)));
      const [left, right] = lists;
      // Without the text of the pair a refusal may have another reason, such as a missing key: only its existence counts.
      const agree = left === undefined || right === undefined || sameSet(wordsOf(left), wordsOf(right));
      t.expect(refused(exchange) && refused(other) && agree, {
        cell: cell.key,
        exchange: refused(exchange) ? other : exchange,
        message: `${cell.key}: useOwnKey true ${describeAnswer(exchange)}, false ${describeAnswer(other)}; expected the same refusal`,
      });
    }
  }),
  check('MAP-13', { needs: [sessionRefusals, taskRefusals] }, async (t) => {
    const v3 = t.target.v3 === null ? [] : (await t.recording(sessionRefusals)).cells.probes;
    const v2 = t.target.v2 === null ? [] : (await t.recording(taskRefusals)).cells.probes;
    const earlier = [...v3, ...v2].filter(({ cell }) => ['gpt-5-mini', 'o3', 'o4-mini'].includes(cell.model));
    if (earlier.length === 0) t.notRun('three probes of the matrices had been accepted before');
    expectRefused(t, { probes: earlier, unsent: [] }, '422');
  }),
  check('V3-OWN-KEY', { needs: [ownKeyRefusals] }, async (t) => {
    expectRefused(t, await t.recording(ownKeyRefusals), 'not created');
  }),
  check('BYOK-02', { needs: [ownKeyRefusals] }, async (t) => {
    for (const { cell, exchange } of (await t.recording(ownKeyRefusals)).probes) {
      t.expect(exchange.status !== 0 && !succeeded(exchange), {
        exchange,
        message: `${cell.key} ${describeAnswer(exchange)}; expected a refusal without useOwnKey true`,
      });
    }
  }),
];

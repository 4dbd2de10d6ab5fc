import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer, succeeded } from '../../core/exchange.ts';
import { drivenBrowser } from './scenarios-part-driven-browser.ts';
import type { StopObservation } from './scenarios-part-stopped-browser.ts';
import { isCapacity } from '../common/checks-part-capacity.ts';
import { deadlinePassed } from '../common/target-facts.ts';

/** The stop operation of a standalone browser. */
export const browserStopChecks: readonly Check[] = [
  check('V4-BROWSER-05', { needs: [drivenBrowser] }, async (t) => {
    await idTaken(t);
  }),
  check('V4-BROWSER-20', { needs: [drivenBrowser] }, async (t) => {
    await idTaken(t);
  }),
  check('V4-BROWSER-18', { needs: [drivenBrowser] }, async (t) => {
    const { exchange, driven, after, ended } = await idTaken(t);
    if (driven === true || ended === false) deadlinePassed(t, 'settleDeadlineMs');
    t.expect(driven !== true, {
      exchange,
      message: 'a client that was attached still drives the browser after its stop',
    });
    t.expect(ended !== false, {
      exchange: after ?? exchange,
      message: 'the record does not say after the stop that the browser has ended',
    });
  }),
  check('V4-BROWSER-19', { needs: [drivenBrowser] }, async (t) => {
    const { exchange, works } = await stopped(t);
    if (!succeeded(exchange)) t.notTestable(`the stop operation ${describeAnswer(exchange)}`);
    if (works) deadlinePassed(t, 'settleDeadlineMs');
    t.expect(!works, { exchange, message: 'the CDP address still gives a working browser after the stop' });
  }),
];

async function idTaken(t: CheckContext): Promise<StopObservation> {
  const seen = await stopped(t);
  const { exchange } = seen;
  if (exchange.status !== 409 && isCapacity(exchange.status))
    t.notTestable(`the stop operation ${describeAnswer(exchange)}`);
  const message = `the stop operation with the id from creation ${describeAnswer(exchange)}; expected success`;
  t.expect(succeeded(exchange), { exchange, message });
  return seen;
}

async function stopped(t: CheckContext): Promise<StopObservation> {
  const recording = await t.recording(drivenBrowser);
  return recording.stopped ?? t.notTestable('no browser was created, or its answer lacks id or cdpUrl');
}

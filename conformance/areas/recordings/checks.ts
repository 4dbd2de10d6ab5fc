import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import { listItems } from '../../common/followed-pages.ts';
import { openVideo, recordedBrowsers } from './scenarios.ts';
import { structuredSession } from '../v3-sessions/scenarios-outputs.ts';
import { taskSession } from '../v2-tasks/scenarios.ts';
import { show } from '../../core/text.ts';
import { judged } from '../../common/judgement.ts';
import { settleWait } from '../../common/target-facts.ts';

/** Checks of browser recordings. Their rules come from the companion, not from the contract. */
export const recordingChecks: readonly Check[] = [
  check('RECORDING-01', { needs: [recordedBrowsers] }, async (t) => {
    const { id, created, active, stopped, listed } = (await t.recording(recordedBrowsers)).recorded;
    none(t, created, 'a browser that was just created');
    none(t, active, 'an active browser');
    none(t, stopped, 'the answer to a stop');
    for (const row of listItems(listed, 'items').filter((item) => item['id'] === id)) {
      const message = `recordingUrl of a browser in a list is ${show(row['recordingUrl'])}; expected null`;
      t.expect((row['recordingUrl'] ?? null) === null, { exchange: listed, message });
    }
  }),
  check('RECORDING-02', { needs: [recordedBrowsers] }, async (t) => {
    const { after } = (await t.recording(recordedBrowsers)).recorded;
    if (memberAt(after.json, 'recordingAvailable') === false)
      t.notTestable('recordingAvailable is false: no recording of the browser can appear');
    const found = memberAt(after.json, 'recordingUrl');
    const message = `recordingUrl of a stopped browser that was recorded is ${show(found)}; expected an address${settleWait(t)}`;
    t.expect(typeof found === 'string', { exchange: after, message });
  }),
  check('RECORDING-03', { needs: [recordedBrowsers] }, async (t) => {
    const { created, active, stopped, after } = (await t.recording(recordedBrowsers)).plain;
    for (const exchange of [created, active, stopped, after]) none(t, exchange, 'a browser without enableRecording');
  }),
  check('RECORDING-04', { needs: [recordedBrowsers] }, async (t) => {
    const { video } = await t.recording(recordedBrowsers);
    if (video === undefined) throw new NotTestable('the browser had no recording');
    isVideo(t, video);
  }),
  check('RECORDING-05', { needs: [structuredSession] }, async (t) => {
    const { end } = await t.recording(structuredSession);
    const addresses = end.record['recordingUrls'];
    const found = Array.isArray(addresses) ? addresses.filter((address) => typeof address === 'string') : [];
    if (found.length === 0) t.notTestable('the session had no recording');
    for (const address of found) isVideo(t, await openVideo(t, address));
  }),
  check('RECORDING-06', { needs: [taskSession] }, async (t) => {
    const { created, fetched, ended } = await t.recording(taskSession);
    const seen = [created, fetched, ...(ended === undefined ? [] : [ended.session])];
    for (const exchange of seen) none(t, exchange, 'a V2 session without enableRecording');
  }),
];

function none(t: CheckContext, exchange: Exchange, what: string): void {
  judged(t, exchange, what).member('recordingUrl', null);
}

/** Judges that a file is a video: it begins with the EBML header of WebM or Matroska, or with the `ftyp` box of MP4. */
function isVideo(t: CheckContext, exchange: Exchange): void {
  const { body } = exchange;
  t.expect(succeeded(exchange), { exchange, message: `a recording ${describeAnswer(exchange)}; expected a video` });
  const isWebm = body.startsWith('\u001aE') && /webm|matroska/.test(body.slice(0, 64));
  const isMp4 = body.slice(4, 8) === 'ftyp';
  const message = `a recording begins with ${show(body.slice(0, 16))}; expected the first bytes of WebM or MP4`;
  t.expect(isWebm || isMp4, { exchange, message });
}

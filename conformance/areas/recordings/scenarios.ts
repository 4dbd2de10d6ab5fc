import { noBrowsers } from '../../ledger/browser-api.ts';
import { describeAnswer, type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { notOffered } from '../../core/operations.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { attempt, type LiveBrowser, useBrowser } from '../../common/observed-browser.ts';
import { readSettled } from '../../common/target-facts.ts';

/** Two V4 browsers: one with a recording and one without, and their records. */
export interface RecordedBrowsers {
  recorded: RecordedBrowser;
  /** The browser whose request does not mention a recording. */
  plain: RecordedBrowser;
  /** Response of the recording's URL; undefined if the record shows no URL. */
  video: Exchange | undefined;
}

/** A browser before and after its stop. */
export interface RecordedBrowser {
  id: string;
  created: Exchange;
  active: Exchange;
  stopped: Exchange;
  /** The first page of the list of stopped browsers. */
  listed: Exchange;
  /**
   * The last record of the browser: the first record that shows the recording, or the record at the end of the wait.
   */
  after: Exchange;
}

const operations = ['v4.createBrowser', 'v4.getBrowser', 'v4.listBrowsers', 'v4.stopBrowser'] as const;

/**
 * Creates a standalone browser without a recording and a browser with a recording. Records both browsers before and
 * after the stop.
 */
export const recordedBrowsers: Scenario<RecordedBrowsers> = {
  name: 'recorded-browsers',
  creates: 'two V4 browsers, one of them recorded, stopped at once',
  spend: 'browser',
  browsers: () => 2,
  dispatches: 0,
  stateful: true,
  unavailable: (target) => noBrowsers(target) ?? notOffered(target, operations),
  run: (context) =>
    context.live(async () => {
      // The browser without `enableRecording` runs first. If the target records this browser by mistake, the recording
      // has time to appear while the second browser runs.
      const plain = await runRecordedBrowser(context, false);
      const recorded = await runRecordedBrowser(context, true);
      const after = await context.operations.call('v4.getBrowser', { path: [plain.id] });
      const address = memberAt(recorded.after.json, 'recordingUrl');
      return {
        recorded,
        plain: { ...plain, after },
        video: typeof address === 'string' ? await openVideo(context, address) : undefined,
      };
    }),
};

async function runRecordedBrowser(context: ScenarioContext, isRecorded: boolean): Promise<RecordedBrowser> {
  const body = isRecorded ? { enableRecording: true } : {};
  const created = await context.operations.create('browser', 'v4.createBrowser', { body });
  const id = identifier(memberAt(created.json, 'id'));
  if (!succeeded(created) || id === undefined) throw new NotTestable(`browser creation ${describeAnswer(created)}`);
  const active = await context.operations.call('v4.getBrowser', { path: [id] });
  const cdpUrl = memberAt(created.json, 'cdpUrl');
  // A video shows only painted frames. If the target allows no painting, the checks name the missing part.
  if (typeof cdpUrl === 'string') await paintIn(context, { created, id, cdpUrl, reached: false });
  const stopped = await context.operations.call('v4.stopBrowser', { path: [id], body: { action: 'stop' } });
  const after = await untilShown(context, id, isRecorded);
  const listed = await context.operations.call('v4.listBrowsers', { query: { filterBy: 'stopped', pageSize: 100 } });
  return { id, created, active, stopped, listed, after };
}

/** Number of repaints that fill about half a second of video. */
const paintedEnough = 30;

/** Script that repaints a page repeatedly and counts the paints. */
const paintOn = `(() => {
  let painted = 0;
  const again = () => {
    document.body.textContent = globalThis.svcPainted = String(painted += 1);
    requestAnimationFrame(again);
  };
  requestAnimationFrame(again);
  return 'painting';
})()`;

async function paintIn(context: ScenarioContext, browser: LiveBrowser): Promise<void> {
  const { settleDeadlineMs, intervalMs } = context.target.polling;
  const deadline = context.nowMs() + settleDeadlineMs;
  await attempt(() =>
    useBrowser(context, { browser, client: 'raw' }, async (raw) => {
      const mark = context.mark();
      await raw.open(mark);
      await raw.evaluate(mark, paintOn);
      const painted = (): Promise<string | undefined> => raw.evaluate(mark, 'String(globalThis.svcPainted)');
      while (!(Number(await painted()) >= paintedEnough) && context.nowMs() < deadline) await context.pause(intervalMs);
    }),
  );
}

/**
 * Polls a browser until its recording is visible or cannot appear any more, or the settle deadline has passed. Returns
 * the last record. Fetches a browser without a recording only once.
 */
function untilShown(context: ScenarioContext, id: string, isRecorded: boolean): Promise<Exchange> {
  return readSettled(
    context,
    async () => {
      // This fetch records the end of the browser in the ledger.
      await context.browsers.get(id);
      return context.operations.call('v4.getBrowser', { path: [id] });
    },
    ({ json }) => {
      const isShown = typeof memberAt(json, 'recordingUrl') === 'string';
      const isNever = memberAt(json, 'recordingAvailable') === false;
      return !isRecorded || isShown || isNever;
    },
  );
}

/** Byte range that identifies the file type. A server without range support sends the whole file. */
const range = { range: 'bytes=0-255' };

/** Requests the first bytes of a video URL without a key. */
export function openVideo({ send }: Pick<ScenarioContext, 'send'>, address: string): Promise<Exchange> {
  const spec = { generation: 'other', operation: 'recording', method: 'GET', path: address, key: 'none' } as const;
  return send({ ...spec, headers: range });
}

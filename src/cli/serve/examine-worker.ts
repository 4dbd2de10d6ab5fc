import { parentPort } from 'node:worker_threads';
import type { ExaminationOrder } from '#api/console/examinations.ts';
import { type RunOptions, SuiteError, defaultTarget, renderHtml, run } from '#conformance/index.ts';
import type { FromSuite, ToSuite } from './create-examiner.ts';

/*
 * Worker thread that runs the suite against the service that started it, reports its progress, and returns the report.
 * create-examiner.ts starts it by its URL.
 */
const countsEveryMs = 500;

const controller = new AbortController();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const say = (message: FromSuite): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToSuite) => {
  if (message.kind === 'stop') controller.abort();
  else void examine(message.order);
});

async function examine(order: ExaminationOrder): Promise<void> {
  try {
    const report = await run(runOptions(order));
    const { violations, passed } = report.totals;
    say({ kind: 'ended', html: renderHtml(report), violations, passed });
  } catch (error) {
    say({ kind: 'failed', reason: error instanceof SuiteError ? error.message : String(error) });
  } finally {
    parentPort?.close();
  }
}

function runOptions({ address, apiKey, profile, spend, timeLimitMs }: ExaminationOrder): RunOptions {
  let toldAtMs = 0;
  return {
    target: { ...defaultTarget, url: address },
    apiKey,
    profile,
    spend,
    timeLimitMs,
    signal: controller.signal,
    onProgress: (event, counts) => {
      if (event.kind !== 'planned' && Date.now() - toldAtMs < countsEveryMs) return;
      toldAtMs = Date.now();
      const { judged, planned, requests } = counts();
      say({ kind: 'counts', counts: { judged, planned, requests } });
    },
  };
}

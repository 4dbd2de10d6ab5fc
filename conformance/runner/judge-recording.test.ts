import { describe, expect, it } from 'vitest';
import { sendOverHttp } from '../transport/send-over-http.ts';
import { judgeRecording } from './judge-recording.ts';
import type { RunOptions } from './settings.ts';
import { type Recording, renderHar } from '../recording/index.ts';
import type { Report } from '../core/report.ts';
import { type JudgedFake, judgeFake } from '../testing/judge-fake.ts';
import { judgedAs } from '../testing/judged-as.ts';

/**
 * Judges a fake service and records the run. Returns the report and the recording as HAR text, so that a test can judge
 * the recording too.
 */
async function judgeTwice({ options = {}, ...fake }: JudgedFake): Promise<{ live: Report; har: string }> {
  const kept = Promise.withResolvers<Recording>();
  const live = await judgeFake({ ...fake, options: { ...options, onRecording: kept.resolve } });
  return { live, har: renderHar(await kept.promise) };
}

/**
 * Returns run options that interrupt the run right after its response number `count`, so that the run always ends at
 * the same point.
 */
function interruptedAt(count: number): Pick<RunOptions, 'signal' | 'transport'> {
  const controller = new AbortController();
  let answers = 0;
  return {
    signal: controller.signal,
    transport: async (request) => {
      const answer = await sendOverHttp(request);
      answers += 1;
      if (answers === count) controller.abort();
      return answer;
    },
  };
}

/**
 * Returns run options with which every request after the first `count` gets no connection, as if the target had
 * stopped.
 */
function goneAt(count: number): Pick<RunOptions, 'transport'> {
  let answers = 0;
  return {
    transport: async (request) => {
      answers += 1;
      if (answers <= count) return sendOverHttp(request);
      return { status: 0, headers: {}, body: '', fault: 'connect ECONNREFUSED 127.0.0.1:1' };
    },
  };
}

/**
 * Short deadlines of polling, so that a task that never ends causes few polls. Both the run and its playback poll until
 * the deadline.
 */
const polling = { intervalMs: 5, startDeadlineMs: 1000, taskDeadlineMs: 500, settleDeadlineMs: 100 };

/** `npm test` judges every third recording, `npm run teeth` all. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

describe('a recording', () => {
  const cases: [string, JudgedFake][] = [
    ['a good service', {}],
    ['a service that does not check keys', { faults: ['no key needed'] }],
    ['a service whose task never ends', { faults: ['run never ends', 'V2 task never ends'], polling }],
    ['a service whose browser goes with its client', { faults: ['browser ends at Browser.close'] }],
    ['addresses that work once', { habits: ['CDP address works once'] }],
    ['an early end after three failures', { faults: ['no key needed'], options: { maxFailures: 3 } }],
    ['an interruption among free requests', { options: interruptedAt(40) }],
    ['a target that goes away', { options: goneAt(600) }],
    ['an interruption among tasks', { options: interruptedAt(600) }],
  ];

  it.each(cases.filter((_case, index) => isWhole || index % 3 === 0))(
    'is judged as the run was: %s',
    async (_name, fake) => {
      const { live, har } = await judgeTwice(fake);
      const again = await judgeRecording({ text: har });
      expect(judgedAs(again)).toEqual(judgedAs(live));
    },
  );

  it('shows the rows that are asked for, with the same verdicts', async () => {
    const { live, har } = await judgeTwice({ faults: ['no key needed'] });
    const again = await judgeRecording({ text: har, only: ['authentication'] });
    const wanted = live.requirements.filter(({ area }) => area === 'authentication');
    expect(judgedAs(again).rows).toEqual(judgedAs(live).rows.filter(({ id }) => wanted.some((row) => row.id === id)));
    expect(again.totals.violations).toBe(wanted.filter(({ verdict }) => verdict === 'violation').length);
  });

  it('stays the same when it is written once more', async () => {
    const { har } = await judgeTwice({});
    const kept = Promise.withResolvers<Recording>();
    await judgeRecording({ text: har, onRecording: kept.resolve });
    expect(renderHar(await kept.promise)).toBe(har);
  });

  it('keeps the numbers of options in which the digits of a header value occur', async () => {
    const options = { headers: { 'X-Tenant': '123456' }, seed: 1_234_567, only: ['V3-GET-02'] };
    const { live, har } = await judgeTwice({ options });
    expect((await judgeRecording({ text: har })).seed).toBe(live.seed);
  });

  it('says of a row whose exchanges it does not hold that it was not run', async () => {
    const { har } = await judgeTwice({ options: { only: ['V3-GET-02'] } });
    const without = JSON.parse(har);
    without.log.entries = without.log.entries.filter(
      (entry: { _svc: { sentBy: string } }) => entry._svc.sentBy !== 'V3-GET-02',
    );
    const [row] = (await judgeRecording({ text: JSON.stringify(without) })).requirements;
    expect(row).toMatchObject({ verdict: 'notRun', reason: 'the recording holds no such exchange' });
  });

  it.each([
    ['no JSON', 'GET /', 'text that is not JSON'],
    ['another HAR', '{"log":{"version":"1.2","entries":[]}}', 'a HAR without log._svc'],
    ['another schema', '{"log":{"_svc":{"schema":"svc-recording/2"},"entries":[]}}', 'of the schema svc-recording/2'],
    [
      'a foreign entry',
      '{"log":{"_svc":{"schema":"svc-recording/1"},"entries":[{}]}}',
      'entry 0 of the HAR without _svc',
    ],
  ])('refuses %s and says how to make one', async (_name, text, found) => {
    const refusal = judgeRecording({ text });
    await expect(refusal).rejects.toThrow(found);
    await expect(refusal).rejects.toThrow('--report har=FILE');
  });
});

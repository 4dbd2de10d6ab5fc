import { AssertionError } from 'node:assert';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Report } from '../core/report.ts';
import type { Recording } from '../recording/recording.ts';
import { SuiteError } from '../core/suite-error.ts';
import { type CheckSuite, type ChecksOptions, checks } from './library.ts';
import type { Fault } from '../testing/faults.ts';
import { fakeKey, startFakeService } from '../testing/fake-service.ts';

type Service = Awaited<ReturnType<typeof startFakeService>>;
const folder = mkdtempSync(join(tmpdir(), 'svc-library-'));
const targetFile = join(folder, 'target.yaml');
let service: Service;

async function begin(faults: Fault[], options: Partial<ChecksOptions> = {}): Promise<CheckSuite> {
  service = await startFakeService(faults, { override: {}, habits: [] });
  writeFileSync(
    targetFile,
    `polling: { intervalMs: 1, startDeadlineMs: 1000, taskDeadlineMs: 1500, settleDeadlineMs: 100 }\n`,
  );
  return checks({ url: service.url, targetFile, apiKey: fakeKey, seed: 1, ratePerSecond: 0, ...options });
}

/**
 * Kinds of the resources that the check of LIFE-06 creates: a session, an idle session beside it, and two sessions to
 * find out whether the target reads a profile and a workspace. The fake service reads neither.
 */
const createdForLife06 = ['session', 'session', 'session', 'session'];

/** Returns the kinds of all resources that a run has created. */
function kindsIn({ created }: Report): string[] {
  return created.map(({ kind }) => kind);
}

async function outcomes(suite: CheckSuite): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const one of suite) {
    let outcome = 'passed';
    const skip = (reason: string): void => {
      outcome = `skipped: ${reason}`;
    };
    await one.run({ skip }).catch((error: unknown) => {
      outcome = error instanceof AssertionError ? error.message : `error: ${String(error)}`;
    });
    found[one.id] = outcome;
  }
  return found;
}

describe('checks as tests of another runner', () => {
  afterEach(() => service.close());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('pass, fail with the request, or are skipped with the reason', async () => {
    const only = ['V3-GET-02', 'V3-THINK-REFUSES', 'V3-GET-01', 'AUTH-06'];
    const suite = await begin(['one V3 cell accepted'], { only });
    const found = await outcomes(suite);
    expect(found).toMatchObject({
      'V3-GET-02': 'passed',
      'V3-GET-01': 'skipped: not run: needs --spend task',
      'AUTH-06': expect.stringContaining('skipped: not testable: needs-operator-view'),
    });
    expect(found['V3-THINK-REFUSES']).toMatch(
      /^V3-THINK-21: glm-5.2 medium answered 200; .*\n {2}curl -i -X POST .*glm-5.2.*\n {2}answer: 200 .*\n {2}svc replay svc1\..*\nV3-THINK-21: glm-5.2 medium beside .* answered 200; .*\n.*\n.*\n.*\n[\s\S]*source: contract/,
    );
    const report = await suite.close();
    expect(report.totals).toMatchObject({ passed: 1, violations: 1, notRun: 1, notTestable: 1 });
    expect(await suite.close()).toBe(report);
  });

  it('pass one recording of the whole run, after the last of several violations', async () => {
    const recordings: Recording[] = [];
    const only = ['V3-THINK-REFUSES', 'V3-GET-02', 'ERR-14'];
    const suite = await begin(['one V3 cell accepted', 'V4 list unsorted'], {
      only,
      onRecording: (recording) => recordings.push(recording),
    });
    await outcomes(suite);
    expect(recordings).toEqual([]);
    const { totals } = await suite.close();
    await suite.close();
    expect(totals).toMatchObject({ passed: 1, violations: 2 });
    expect(recordings).toMatchObject([{ totals }]);
  });

  it('have the title of their requirement', async () => {
    const suite = await begin([], { only: ['V3-GET-02'] });
    expect([...suite].map(({ title }) => title)).toEqual([expect.stringMatching(/^MUST .+\. \[V3-GET-02\]$/)]);
    await suite.close();
  });

  it('create only what is run, once, and leave nothing', async () => {
    const suite = await begin([], { spend: 'task', only: ['LIFE-06', 'LIFE-14', 'LIFE-02'] });
    const [one] = [...suite].filter(({ id }) => id === 'LIFE-06');
    await Promise.all([one?.run(), one?.run()]);
    const report = await suite.close();
    expect(kindsIn(report)).toEqual(createdForLife06);
    expect([report.left, service.alive()]).toEqual([[], 0]);
  });

  it('end with their block', async () => {
    let suite: CheckSuite | undefined;
    {
      await using own = await begin([], { spend: 'task', only: ['LIFE-06'] });
      for (const one of own) await one.run();
      suite = own;
    }
    expect(service.alive()).toBe(0);
    expect(kindsIn(await suite.close())).toEqual(createdForLife06);
  });

  it('refuse a wrong key before the first test', async () => {
    await expect(begin([], { apiKey: 'svc_wrong' })).rejects.toThrow(SuiteError);
  });
});

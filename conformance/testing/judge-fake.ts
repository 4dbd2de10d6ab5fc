import { run } from '../run.ts';
import type { RunOptions } from '../options.ts';
import type { JsonObject } from '../harness/json.ts';
import type { Report } from '../report/report.ts';
import { fakeKey, startFakeService } from './fake-service.ts';
import { fakeTarget } from './fake-target.ts';
import type { Fault } from './faults.ts';

/** What a fake service is broken with, and how it is judged. */
export interface JudgedFake {
  faults?: readonly Fault[];
  /** Members that replace those of every session record. */
  override?: JsonObject;
  /** Options that replace those of the tests: seed 1, spend task, no rate limit, five cases per property. */
  options?: Partial<RunOptions>;
}

/** Judges a fake service, which is closed afterwards. */
export async function judgeFake({ faults = [], override = {}, options = {} }: JudgedFake): Promise<Report> {
  const service = await startFakeService(faults, override);
  const base: RunOptions = { target: fakeTarget(service.url), apiKey: fakeKey };
  try {
    return await run({ ...base, seed: 1, spend: 'task', ratePerSecond: 0, propertyRuns: 5, ...options });
  } finally {
    await service.close();
  }
}

/** The ids that a report finds fault with, in registry order. */
export function failingIds(report: Report): string[] {
  return report.requirements
    .filter(({ verdict }) => !['pass', 'notTestable', 'notRun'].includes(verdict))
    .map(({ id }) => id);
}

import { run } from '../runner/run.ts';
import type { RunOptions } from '../runner/settings.ts';
import type { JsonObject } from '../core/json.ts';
import type { Target } from '../core/target.ts';
import type { Report } from '../core/report.ts';
import { type FakeOptions, fakeKey, otherFakeKey, startFakeService } from './fake-service.ts';
import type { OperationKey } from '../core/operations.ts';
import { fakeTarget, offering } from './fake-target.ts';
import { fakeConnectors } from './fake-connectors.ts';
import type { Fault, AllowedVariation } from './faults.ts';

/** Faults of a fake service, and options of its judgement. */
export interface JudgedFake {
  faults?: readonly Fault[];
  /** Members that replace or add members of every session record. */
  override?: JsonObject;
  /** Variations of the service that the contract allows. */
  habits?: readonly AllowedVariation[];
  onRequest?: FakeOptions['onRequest'];
  /** Tasks that differ from those of `fakeTarget`. */
  tasks?: Partial<Target['tasks']>;
  /** Beginning of the keys in the target file. @defaultValue that of `fakeTarget` */
  keyPrefix?: string;
  /** The control URL of the target; null for a target without one. @defaultValue that of `fakeTarget` */
  control?: null;
  /** Intervals and deadlines of polling. @defaultValue those of `fakeTarget` */
  polling?: Target['polling'];
  /**
   * Documented operations that the target offers in addition to the operations that other members of the target name.
   * @defaultValue none
   */
  offers?: readonly OperationKey[];
  /**
   * Run options that override the defaults of the tests: both keys, profile `full`, spend `task`, at most 40 tasks, no
   * network, seed 1, no rate limit, five cases per property, no stateful scripts.
   */
  options?: Partial<RunOptions>;
}

const everything = { otherApiKey: otherFakeKey, profile: 'full', spend: 'task', maxDispatches: 40 } as const;

/** Judges a fake service and closes it afterwards. */
export async function judgeFake({
  faults = [],
  override = {},
  habits = [],
  onRequest,
  polling,
  keyPrefix,
  control,
  tasks,
  offers,
  options = {},
}: JudgedFake): Promise<Report> {
  const service = await startFakeService(faults, {
    override,
    habits,
    ...(onRequest === undefined ? {} : { onRequest }),
  });
  const base: RunOptions = {
    target: fakeTarget(service.url, {
      ...(tasks === undefined ? {} : { tasks: { ...fakeTarget(service.url).tasks, ...tasks } }),
      ...(polling === undefined ? {} : { polling }),
      ...(keyPrefix === undefined ? {} : { keyPrefix }),
      ...(control === undefined ? {} : { control }),
      ...(offers === undefined ? {} : { operations: offering(offers) }),
    }),
    apiKey: fakeKey,
  };
  try {
    return await run({
      ...base,
      ...everything,
      transport: service.transport,
      connectors: fakeConnectors,
      seed: 1,
      ratePerSecond: 0,
      propertyRuns: 5,
      statefulRuns: 0,
      ...options,
    });
  } finally {
    await service.close();
  }
}

/** Returns the ids of the rows with a finding or an error, in registry order. */
export function failingIds(report: Report): string[] {
  return report.requirements
    .filter(({ verdict }) => !['pass', 'notTestable', 'notRun'].includes(verdict))
    .map(({ id }) => id);
}

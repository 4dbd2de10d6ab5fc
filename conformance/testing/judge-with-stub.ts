import { defaultProviderStub } from '../core/default-target.ts';
import { type Generation, type Target, generations } from '../core/target.ts';
import { run } from '../runner/run.ts';
import { startProviderStub } from '../provider-stub/index.ts';
import type { Report } from '../core/report.ts';
import { fakeConnectors } from './fake-connectors.ts';
import { fakeProviderKeys } from './fake-provider.ts';
import { fakeKey, otherFakeKey, startFakeService } from './fake-service.ts';
import { fakeTarget } from './fake-target.ts';
import type { Fault } from './faults.ts';
import type { JudgedFake } from './judge-fake.ts';

/** The rows that need a provider stub and that the fake service supports. */
export const stubRows: readonly string[] = `
  MAP-02 MAP-03 MAP-04 MAP-05 MAP-07 MAP-08 MAP-09 MAP-10 MAP-12 MAP-14 BYOK-01 V4-PARAMS-28 V4-PARAMS-29 V4-PARAMS-30
  V4-PARAMS-31 V4-PARAMS-32 BYOK-03 BYOK-04 AUTH-08 LIMIT-04 LIMIT-05 V3-MODEL-05 V3-MODEL-09 VER-11 V2-TASK-06 PROVIDER-01`
  .trim()
  .split(/\s+/);

/**
 * Rows that are judged on the reference backend with a provider stub: those that the fake service does not support, and
 * those that need a stored provider key.
 */
export const referenceStubRows: readonly string[] = [
  'PROVIDER-02',
  'PROVIDER-03',
  'PROVIDER-04',
  'V3-CREATE-06',
  'V3-CREATE-07',
];

/** Faults between a service and its model providers, by generation, each with the requirements that must fail. */
export const stubFaults: readonly [fault: Fault, generation: Generation, fails: string][] = [
  ['disabled becomes low', 'v3', 'MAP-02'],
  ['pro level is medium', 'v2', 'MAP-03'],
  ['legacy name not routed', 'v3', 'MAP-04'],
  ['half gemini budget', 'v2', 'MAP-05 LIMIT-04'],
  ['V3 effort is dropped', 'v3', 'MAP-07'],
  ['V2 replays thinking', 'v2', 'MAP-08'],
  ['disabled keeps thinking', 'v3', 'MAP-09'],
  ['double claude budget', 'v3', 'MAP-10 LIMIT-05'],
  ['disabled becomes minimal effort', 'v3', 'MAP-12'],
  ['glm switch stays on', 'v3', 'MAP-14'],
  ['alias reaches the provider', 'v3', 'V3-MODEL-05 VER-11'],
  ['V2 level takes the own key', 'v2', 'BYOK-01'],
  ['own key not used', 'v3', 'V3-MODEL-09'],
  ['V4 own key not used', 'v4', 'AUTH-08 BYOK-03 BYOK-04'],
  ['V4 flag against the own key', 'v4', 'BYOK-04'],
  ['switch chooses a depth', 'v2', 'V2-TASK-06'],
  ['params not forwarded', 'v4', 'V4-PARAMS-28'],
  ['no V4 default', 'v4', 'V4-PARAMS-29 V4-PARAMS-30'],
  ['empty params get the default', 'v4', 'V4-PARAMS-31'],
  ['params dropped with an own key', 'v4', 'V4-PARAMS-28 V4-PARAMS-32'],
  ['provider gets an unknown member', 'v4', 'PROVIDER-01'],
];

/** A fake service with faults, and the generation that the target file offers. @defaultValue all generations */
export interface JudgedWithStub extends Pick<JudgedFake, 'faults' | 'options'> {
  generation?: Generation;
}

/** Judges a fake service with a provider stub, on every cell of `stubRows`. */
export async function judgeWithStub({ faults = [], options = {}, generation }: JudgedWithStub): Promise<Report> {
  const ownKeyEndings = { google: fakeProviderKeys.own.slice(-4) };
  const stub = await startProviderStub({ host: '127.0.0.1', port: 0, script: null, ownKeyEndings });
  const service = await startFakeService(faults, { providers: stub.address });
  const providerStub = { ...defaultProviderStub, listen: new URL(stub.address).host, ownKeyEndings };
  try {
    return await run({
      target: { ...fakeTarget(service.url), ...without(generation), providerStub },
      transport: service.transport,
      apiKey: fakeKey,
      otherApiKey: otherFakeKey,
      profile: 'full',
      spend: 'task',
      matrix: 'full',
      connectors: fakeConnectors,
      seed: 1,
      ratePerSecond: 0,
      statefulRuns: 0,
      only: stubRows,
      // The stub already listens: another process could otherwise take a port that was just free.
      openStub: () => Promise.resolve({ close: () => Promise.resolve() }),
      ...options,
    });
  } finally {
    await service.close();
    await stub.close();
  }
}

function without(generation: Generation | undefined): Partial<Target> {
  const others = generation === undefined ? [] : generations.filter((one) => one !== generation);
  return Object.fromEntries(others.map((one) => [one, null]));
}

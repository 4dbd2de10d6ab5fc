import { defaultProviderStub } from '../core/default-target.ts';
import { type Generation, type Target, generations } from '../core/target.ts';
import { run } from '../runner/run.ts';
import { startProviderStub } from '../provider-stub/index.ts';
import type { Report } from '../core/report.ts';
import { fakeConnectors } from './fake-connectors.ts';
import { fakeProviderKeys } from './fake-provider.ts';
import { fakeKey, otherFakeKey, startFakeService } from './fake-service.ts';
import { fakeTarget } from './fake-target.ts';
import type { JudgedFake } from './judge-fake.ts';

/** The rows that can be judged only with a provider stub. */
export const stubRows: readonly string[] = `
  MAP-02 MAP-03 MAP-04 MAP-05 MAP-07 MAP-08 MAP-09 MAP-10 MAP-12 MAP-14 BYOK-01 V4-PARAMS-28 V4-PARAMS-29 V4-PARAMS-30
  V4-PARAMS-31 V4-PARAMS-32 BYOK-03 BYOK-04 AUTH-08 LIMIT-04 LIMIT-05 V3-MODEL-05 V3-MODEL-09 VER-11 V2-TASK-06 PROVIDER-01`
  .trim()
  .split(/\s+/);

/** A fake service, and the generation that the target file offers; @defaultValue all generations */
export interface JudgedWithStub extends Pick<JudgedFake, 'faults' | 'options'> {
  generation?: Generation;
}

/** Judges a fake service with a provider stub, by every cell of the rows that need one. */
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

import type { ServiceUnderClient } from '#conformance/index.ts';
import { usualStateful } from '../mock/mock-flags.ts';
import { startStateful } from '../mock/open-stateful.ts';

const apiKey = 'svc_mock';

/** Opens a stateful mock for one trial of a client, with its control address, on free ports of the loopback. */
export async function openService(seed: number): Promise<ServiceUnderClient> {
  const host = '127.0.0.1';
  const mock = await startStateful({
    ...usualStateful,
    host,
    port: 0,
    apiKey,
    seed,
    latencyMs: null,
    faultRate: 0,
    logLevel: 'silent',
    control: { host, port: 0 },
  });
  return { address: mock.address, apiKey, controlAddress: mock.controlAddress ?? '', close: () => mock.close() };
}

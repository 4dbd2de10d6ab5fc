/**
 * Entry of the published package `svc-contract`: the client, the judgement of clients, and the mocks.
 * `svc-contract/client` is the client alone, for pages; `svc-contract/conformance` is the suite. Programs that use the
 * service import the package. This entry adds no behaviour of its own, and loads a mock only when a program starts it.
 */
import type { CheckClientOptions, Report } from '#conformance/index.ts';

export * from '../client/index.ts';
export { type MockSettings, type StartedMock, startMock } from './start-mock.ts';

/** Options of {@link checkClient}, which starts a new stateful mock for each start of the client program. */
export type CheckClientSettings = Omit<CheckClientOptions, 'openService'>;

/**
 * Judges a client program as `svc check-client` does, for the tests of that program.
 * @example
 * const { totals } = await checkClient({ command: ['node', 'adapter.mjs'], only: ['run'] });
 * expect(totals.violations).toBe(0);
 */
export async function checkClient(settings: CheckClientSettings): Promise<Report> {
  const [suite, { openService }] = await Promise.all([
    import('#conformance/index.ts'),
    import('../cli/check-client/run-check-client.ts'),
  ]);
  return suite.checkClient({ ...settings, openService });
}

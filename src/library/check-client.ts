import type { CheckClientOptions, Report } from '#conformance/index.ts';

/** How a client is judged; the service is a stateful mock for each start of the program. */
export type CheckClientSettings = Omit<CheckClientOptions, 'openService'>;

/**
 * Judges a program that uses the service, as `svc check-client` does, for the tests of that program.
 *
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

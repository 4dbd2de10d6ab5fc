import type { CheckClientOptions, Report } from '#conformance/index.ts';

/** Options of {@link checkClient}. Each start of the program gets a stateful mock of its own. */
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

import type { Metrics } from '#platform/metrics/index.ts';
import type { ServeOptions } from './serve-options.ts';

/** What counts a service, and where it can be asked. */
export interface Counting extends Omit<Metrics, 'read'> {
  /** Where Prometheus may ask; null for nowhere. */
  readonly address: string | null;
}

const nothing: Counting = {
  address: null,
  observe: () => undefined,
  host: (host) => host,
  models: (models) => models,
  watch: () => undefined,
};

/** Opens the address of `--metrics`; without it nothing is counted, and the package that counts is not loaded. */
export async function openMetrics(
  { metrics: place }: Pick<ServeOptions, 'metrics'>,
  owned: AsyncDisposableStack,
): Promise<Counting> {
  if (place === null) return nothing;
  const { createMetrics, createMetricsServer } = await import('#platform/metrics/index.ts');
  const metrics = createMetrics();
  const server = createMetricsServer(metrics);
  owned.defer(() => server.close());
  return { ...metrics, address: await server.listen(place) };
}

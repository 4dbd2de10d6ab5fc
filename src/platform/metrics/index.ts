/**
 * What a service tells Prometheus. `svc serve --metrics` loads it, wraps host and providers in it, and opens its address. It counts and
 * changes nothing; without the flag none of it is loaded.
 */
export { createMetrics, createMetricsServer, type Metrics } from './create-metrics.ts';

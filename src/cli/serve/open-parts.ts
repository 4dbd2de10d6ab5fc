import { access, constants } from 'node:fs/promises';
import { createControlServer, type RequestLog } from '#api/control/control-server.ts';
import type { FaultSwitch, RefusalSwitch } from '#api/control/switches.ts';
import type { Backend } from '#api/create-backend.ts';
import { loadOptional } from '#contract/load-optional.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { ControlledClock } from '#lib/clock.ts';
import type { Metrics } from '#platform/metrics/create-metrics.ts';
import type { Traces, TracesOptions } from '#platform/traces/create-traces.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import type { BlobFolder, S3Address } from '#store/storage-addresses.ts';
import { createDiskBlobs } from '#store/blobs/disk-blobs.ts';
import { makePrivateFolder } from '#store/data-folder.ts';
import type { ServeOptions, TraceFlags } from './serve-options.ts';

/**
 * Opens the blob store: a folder that all processes share, or a bucket. Rejects when the folder cannot be written or
 * the bucket is not accessible.
 */
export function openBlobs(address: S3Address | BlobFolder, owned: AsyncDisposableStack): Promise<Blobs> {
  return 'folder' in address ? openFolder(address) : openBucket(address, owned);
}

async function openFolder({ folder }: BlobFolder): Promise<Blobs> {
  makePrivateFolder(folder);
  await access(folder, constants.W_OK);
  return createDiskBlobs(folder);
}

/** Opens a bucket. Its client is large, and loaded only when needed. */
async function openBucket(address: S3Address, owned: AsyncDisposableStack): Promise<Blobs> {
  const { openS3Blobs } = await loadOptional('bucket', () => import('#store/blobs/s3-blobs.ts'));
  const bucket = await openS3Blobs(address);
  owned.defer(() => bucket.close());
  return bucket.blobs;
}

/** Parts of a service that the control server changes. */
export interface Controlled {
  readonly clock: ControlledClock;
  readonly faults: FaultSwitch;
  readonly refusals: RefusalSwitch;
  readonly backend: Backend;
  /** Log of the requests to the service. */
  readonly requests: RequestLog;
}

/** Opens the control server of a service for tests and returns its URL; null if no control server is configured. */
export async function openControl(
  { control }: ServeOptions,
  { clock, faults, refusals, backend, requests }: Controlled,
  owned: AsyncDisposableStack,
): Promise<string | null> {
  if (control === null) return null;
  const server = createControlServer({ clock, engine: backend.engine, faults, refusals, requests });
  owned.defer(() => server.close());
  return server.listen(control);
}

/** Metrics of a service, and the URL at which they are served. Without a metrics server, nothing is counted. */
export interface Counting extends Omit<Metrics, 'read'> {
  /** URL of the metrics server; null without one. */
  readonly address: string | null;
}

const nothing: Counting = {
  address: null,
  observe: () => undefined,
  host: (host) => host,
  models: (models) => models,
  watch: () => undefined,
};

/**
 * Opens the metrics server of `--metrics`. Without the flag nothing is counted, and the Prometheus package is not
 * loaded.
 */
export async function openMetrics(
  { metrics: place }: Pick<ServeOptions, 'metrics'>,
  owned: AsyncDisposableStack,
): Promise<Counting> {
  if (place === null) return nothing;
  const { createMetrics, createMetricsServer } = await import('#platform/metrics/create-metrics.ts');
  const metrics = createMetrics();
  const server = createMetricsServer(metrics);
  owned.defer(() => server.close());
  return { ...metrics, address: await server.listen(place) };
}

/** Tracing of a service; without a tracer it records nothing. */
export type Tracing = Omit<Traces, 'tracer' | 'close'> & Partial<Pick<Traces, 'tracer'>>;

const nothingOpenTraces: Tracing = { host: (host) => host, models: (models) => models, agent: (agent) => agent };

/**
 * Starts to send traces to the collector of `--traces`, until the end of `owned`. Without the flag nothing is recorded,
 * and the OpenTelemetry packages are not loaded.
 */
export async function openTraces(
  flags: TraceFlags | null,
  owned: AsyncDisposableStack,
  report: TracesOptions['report'],
): Promise<Tracing> {
  if (flags === null) return nothingOpenTraces;
  const { createTraces } = await loadOptional('traces', () => import('#platform/traces/create-traces.ts'));
  const traces = createTraces({ ...flags, rules: defaultRules, report });
  owned.defer(() => traces.close());
  return traces;
}

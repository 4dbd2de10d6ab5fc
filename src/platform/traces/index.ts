/**
 * What a service tells a collector of OpenTelemetry. `svc serve --traces` loads it, wraps host, providers and agent in it, and ends it after
 * everything that it draws. It changes nothing of what it draws, and no collector can hold the service up; without the flag none of it
 * is loaded.
 */
export { type Traces, type TracesOptions, createTraces } from './create-traces.ts';

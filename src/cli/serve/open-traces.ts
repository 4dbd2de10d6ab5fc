import type { Traces, TracesOptions } from '#platform/traces/index.ts';
import { loadOptional } from '#contract/load-optional.ts';
import { defaultRules } from '#contract/rule-book.ts';

/** What the flags about traces are read to. */
export type TraceFlags = Pick<TracesOptions, 'url' | 'name' | 'share'>;

/** What draws a service; without a tracer it draws nothing. */
export type Drawing = Omit<Traces, 'tracer' | 'close'> & Partial<Pick<Traces, 'tracer'>>;

const nothing: Drawing = { host: (host) => host, models: (models) => models, agent: (agent) => agent };

/** Draws for the collector of `--traces`, until all else has ended; without it nothing is drawn, and the packages are not loaded. */
export async function openTraces(
  flags: TraceFlags | null,
  owned: AsyncDisposableStack,
  report: TracesOptions['report'],
): Promise<Drawing> {
  if (flags === null) return nothing;
  const { createTraces } = await loadOptional('traces', () => import('#platform/traces/index.ts'));
  const traces = createTraces({ ...flags, rules: defaultRules, report });
  owned.defer(() => traces.close());
  return traces;
}

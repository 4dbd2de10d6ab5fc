import type { Insertable } from 'kysely';
import { flag, type ProjectTable } from '#store/schema.ts';

/** What a project is given; an absent member leaves a project that exists as it is. */
export interface Grant {
  readonly zeroDataRetention?: boolean;
  /** What the project may spend in micro-dollars; null for no bound. */
  readonly creditMicros?: number | null;
  /** Its living sandboxes, at least 1; null for as many as the service gives everybody. */
  readonly sessionsMax?: number | null;
  /** Requests that it may send per second, at least 1; null for as many as the service lets everybody send. */
  readonly requestsPerSecond?: number | null;
}

/** A grant as columns of the project's row. */
export function grantColumns({
  zeroDataRetention,
  creditMicros,
  sessionsMax,
  requestsPerSecond,
}: Grant): Partial<
  Pick<Insertable<ProjectTable>, 'zero_data_retention' | 'credit_micros' | 'sessions_max' | 'requests_per_second'>
> {
  return {
    ...(zeroDataRetention === undefined ? {} : { zero_data_retention: flag(zeroDataRetention) }),
    ...(creditMicros === undefined ? {} : { credit_micros: creditMicros }),
    ...(sessionsMax === undefined ? {} : { sessions_max: sessionsMax }),
    ...(requestsPerSecond === undefined ? {} : { requests_per_second: requestsPerSecond }),
  };
}

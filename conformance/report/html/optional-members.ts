import { toText, type JsonObject, isJsonObject } from '../../core/json.ts';

/** The acceptance of a known failure in a baseline. */
export interface Acceptance {
  reason: string;
  link?: string;
  expires?: string;
}

/** Returns the shell lines that reproduce a failure, in order; undefined if the report has fewer than two. */
export function readScript(failure: object): readonly string[] | undefined {
  const lines = textsAt(failure, 'script');
  return lines.length > 1 ? lines : undefined;
}

/** Returns the acceptance of a row or of one failure; undefined if it is not accepted. */
export function readAcceptance(holder: object): Acceptance | undefined {
  const accepted = objectAt(holder, 'accepted');
  if (typeof accepted?.['reason'] !== 'string') return undefined;
  const { reason, link, expires } = accepted;
  return {
    reason,
    ...(typeof link === 'string' ? { link } : {}),
    ...(typeof expires === 'string' ? { expires } : {}),
  };
}

/** Returns the estimated maximum cost of the run in US dollars; undefined if the report has no estimate. */
export function estimatedUsd(report: object): string | undefined {
  const most = objectAt(report, 'estimate')?.['atMostUsd'];
  return typeof most === 'string' ? most : undefined;
}

/** Returns the shard of a divided run as text, such as "2 of 4"; undefined for an undivided run. */
export function readShard(report: object): string | undefined {
  const shard = objectAt(report, 'shard');
  return shard === undefined ? undefined : `${toText(shard['index'])} of ${toText(shard['of'])}`;
}

/** Returns an optional member of a report as an object; undefined for any other value. */
export function objectAt(holder: object, name: string): JsonObject | undefined {
  const value: unknown = Object.entries(holder).find(([key]) => key === name)?.[1];
  return isJsonObject(value) ? value : undefined;
}

/** Returns the objects in an optional list of a report; empty without the list. */
export function objectsAt(holder: object, name: string): JsonObject[] {
  const value: unknown = Object.entries(holder).find(([key]) => key === name)?.[1];
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** Returns the texts in an optional list of a report; empty without the list. */
export function textsAt(holder: object, name: string): string[] {
  const value: unknown = Object.entries(holder).find(([key]) => key === name)?.[1];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

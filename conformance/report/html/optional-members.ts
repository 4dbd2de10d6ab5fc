import { isJsonObject, textOf } from '../../harness/json.ts';

/** An acceptance of a known failure, as a baseline has it. */
export interface Acceptance {
  reason: string;
  link?: string;
  expires?: string;
}

/** The shell lines that lead to a failure, in order; undefined where the report has none. */
export function scriptOf(failure: object): readonly string[] | undefined {
  const script: unknown = 'script' in failure ? failure.script : undefined;
  const lines = Array.isArray(script) ? script.filter((line) => typeof line === 'string') : [];
  return lines.length > 1 ? lines : undefined;
}

/** Why a known failure of a row is accepted; undefined where it is not. */
export function acceptanceOf(row: object): Acceptance | undefined {
  const accepted: unknown = 'accepted' in row ? row.accepted : undefined;
  if (!isJsonObject(accepted) || typeof accepted['reason'] !== 'string') return undefined;
  const { reason, link, expires } = accepted;
  return {
    reason,
    ...(typeof link === 'string' ? { link } : {}),
    ...(typeof expires === 'string' ? { expires } : {}),
  };
}

/** What the run was expected to cost at most, in US dollars; undefined where the report has no estimate. */
export function estimatedUsd(report: object): string | undefined {
  const estimate: unknown = 'estimate' in report ? report.estimate : undefined;
  const most = isJsonObject(estimate) ? (estimate['maxUsd'] ?? estimate['costUsd'] ?? estimate['usd']) : undefined;
  return typeof most === 'string' || typeof most === 'number' ? String(most) : undefined;
}

/** Which part of a divided run this is; undefined for a whole one. */
export function shardOf(report: object): string | undefined {
  const shard: unknown = 'shard' in report ? report.shard : undefined;
  return isJsonObject(shard) ? `${textOf(shard['index'])} of ${textOf(shard['of'])}` : undefined;
}

import { textOf } from '../../core/json.ts';
import { objectAt, textsAt } from './json-members.ts';

/** An acceptance of a known failure, as a baseline has it. */
export interface Acceptance {
  reason: string;
  link?: string;
  expires?: string;
}

/** The shell lines that lead to a failure, in order; undefined where the report has none. */
export function scriptOf(failure: object): readonly string[] | undefined {
  const lines = textsAt(failure, 'script');
  return lines.length > 1 ? lines : undefined;
}

/** Why the failures of a row, or one failure, are accepted; undefined where it is not. */
export function acceptanceOf(holder: object): Acceptance | undefined {
  const accepted = objectAt(holder, 'accepted');
  if (typeof accepted?.['reason'] !== 'string') return undefined;
  const { reason, link, expires } = accepted;
  return {
    reason,
    ...(typeof link === 'string' ? { link } : {}),
    ...(typeof expires === 'string' ? { expires } : {}),
  };
}

/** What the run could cost at most, in US dollars; undefined where the report has no estimate. */
export function estimatedUsd(report: object): string | undefined {
  const most = objectAt(report, 'estimate')?.['atMostUsd'];
  return typeof most === 'string' ? most : undefined;
}

/** Which part of a divided run this is; undefined for a whole one. */
export function shardOf(report: object): string | undefined {
  const shard = objectAt(report, 'shard');
  return shard === undefined ? undefined : `${textOf(shard['index'])} of ${textOf(shard['of'])}`;
}

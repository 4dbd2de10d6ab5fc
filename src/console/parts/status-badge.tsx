import type { JSX } from 'preact';

const tones: Readonly<Record<string, string>> = {
  completed: 'good',
  finished: 'good',
  active: 'good',
  idle: 'good',
  failed: 'bad',
  error: 'bad',
  expired: 'bad',
  revoked: 'bad',
  running: 'busy',
  started: 'busy',
  created: 'busy',
  queued: 'busy',
  dispatching: 'busy',
};

/** Options for a status badge. */
export interface StatusBadgeProps {
  readonly status: string;
  /** Whether the task reached its goal; null or absent where that is unknown. */
  readonly isAchieved?: boolean | null | undefined;
  /** Why the goal was missed; shown beside the badge. */
  readonly reason?: string | null | undefined;
}

/** A state as a word with a matching colour; amber, with the reason, for a task that ended without reaching its goal. */
export function StatusBadge({ status, isAchieved, reason }: StatusBadgeProps): JSX.Element {
  const words = status.replaceAll('_', ' ');
  if (!isMissed(status, isAchieved)) return <span class={`badge ${tones[status] ?? 'plain'}`}>{words}</span>;
  return (
    <>
      <span class="badge missed">{`${words}, goal not achieved`}</span>
      {reason && (
        <span class="missed-reason" title={reason}>
          {reason}
        </span>
      )}
    </>
  );
}

/** Returns whether a task has ended by itself without reaching its goal. Running and failed tasks keep their own colours. */
function isMissed(status: string, isAchieved: boolean | null | undefined): boolean {
  return isAchieved === false && tones[status] !== 'busy' && tones[status] !== 'bad';
}

import type { JSX } from 'preact';
import type { ConsoleOutcome } from '../../../contract/console-messages.ts';

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
  /** Outcome of the task; null or absent when the session has no task or the outcome is unknown. */
  readonly outcome?: ConsoleOutcome | null | undefined;
  /** Why the goal was missed; shown beside the badge. */
  readonly reason?: string | null | undefined;
}

/** A state as a word with a matching colour; amber, with the reason, for a task that was completed without reaching its goal. */
export function StatusBadge({ status, outcome, reason }: StatusBadgeProps): JSX.Element {
  const isMissed = outcome === 'missed' && tones[status] !== 'busy';
  if (!isMissed) return <span class={`badge ${toneOf(status, outcome)}`}>{wordsOf(status, outcome)}</span>;
  return (
    <>
      <span class="badge missed">{`${wordsOf(status, outcome)}, goal not achieved`}</span>
      {reason && (
        <span class="missed-reason" title={reason}>
          {reason}
        </span>
      )}
    </>
  );
}

/** V2 calls a task that crashed finished. */
function toneOf(status: string, outcome: ConsoleOutcome | null | undefined): string {
  if (outcome === 'crashed') return 'bad';
  return outcome === 'achieved' && status === 'stopped' ? 'good' : (tones[status] ?? 'plain');
}

/** V3 calls a session stopped whose task was completed as well as one that was stopped. */
function wordsOf(status: string, outcome: ConsoleOutcome | null | undefined): string {
  const isCompleted = outcome === 'achieved' || outcome === 'missed';
  return status === 'stopped' && isCompleted ? 'completed' : status.replaceAll('_', ' ');
}

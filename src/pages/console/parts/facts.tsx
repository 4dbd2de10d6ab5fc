import { runStatus, sessionStatus } from '#generated/states.ts';
import type { ComponentChildren, JSX } from 'preact';
import { type ConsoleOutcome, outcomeByState } from '#contract/console-messages.ts';
import { ago, moment } from '../format.ts';
import { useSession } from '../api/hooks.ts';

/** Members of a thing, each with its name; those without a value are left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

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
  if (outcome === outcomeByState.crashed) return 'bad';
  return outcome === 'achieved' && status === sessionStatus.stopped ? 'good' : (tones[status] ?? 'plain');
}

/** V3 calls a session stopped whose task was completed as well as one that was stopped. */
function wordsOf(status: string, outcome: ConsoleOutcome | null | undefined): string {
  const isCompleted = outcome === 'achieved' || outcome === 'missed';
  return status === sessionStatus.stopped && isCompleted ? runStatus.completed : status.replaceAll('_', ' ');
}

/** How long ago a moment was; the moment itself stands in its title. */
export function TimeAgo({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at, Date.now())}
    </time>
  );
}

/** The time of day of a moment; its date stands in its title. */
export function ClockTime({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={moment(at)}>
      {new Date(at).toLocaleTimeString()}
    </time>
  );
}

/** Why something did not work, said at once; nothing where there is no fault. */
export function FaultNotice({ fault }: { readonly fault: Error | null }): JSX.Element | null {
  return fault === null ? null : (
    <p class="fault" role="alert">
      {fault.message}
    </p>
  );
}

/** Grey lines in the place of what is being read; read out as a word. */
export function Loading({ rows = 3 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="loading">
      <span class="unseen">Loading…</span>
      {Array.from({ length: rows }, (_row, index) => (
        <span key={index} class="loading-row" />
      ))}
    </div>
  );
}

/** Copies a text; where the browser does not let it, the text is said to be selected by hand. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const { say } = useSession();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(`Copied: ${what}`);
    } catch {
      // No clipboard without TLS: browsers give it to no other page.
      say(`The browser does not allow copying. Select the ${what} and copy it`);
    }
  };
  return (
    <button type="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}

/** What a task gave back; nothing where there is nothing. */
export function Result({ text }: { readonly text: string | null }): JSX.Element | null {
  if (text === null) return null;
  return (
    <>
      <h3>Result</h3>
      <pre class="result">{text}</pre>
    </>
  );
}

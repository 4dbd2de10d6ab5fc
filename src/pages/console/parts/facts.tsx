import { runStatus, sessionStatus } from '#generated/states.ts';
import type { ComponentChildren, JSX } from 'preact';
import { type ConsoleOutcome, outcomeByState } from '#contract/console-messages.ts';
import { ago, moment } from '../format.ts';
import { useSession } from '../api/hooks.ts';

/** Named values of a record; rows without a value are omitted. */
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
  /** Reason why the goal was missed, shown beside the badge; null or absent without one. */
  readonly reason?: string | null | undefined;
}

/** Status as a coloured word; amber with the reason for a completed task that missed its goal. */
export function StatusBadge({ status, outcome, reason }: StatusBadgeProps): JSX.Element {
  const isMissed = outcome === 'missed' && tones[status] !== 'busy';
  if (!isMissed) return <span class={`badge ${getTone(status, outcome)}`}>{getWords(status, outcome)}</span>;
  return (
    <>
      <span class="badge missed">{`${getWords(status, outcome)}, goal not achieved`}</span>
      {reason && (
        <span class="missed-reason" title={reason}>
          {reason}
        </span>
      )}
    </>
  );
}

/**
 * Returns the CSS class for the colour of a status. A crashed task is `bad` with every status, because V2 reports it as
 * finished.
 */
function getTone(status: string, outcome: ConsoleOutcome | null | undefined): string {
  if (outcome === outcomeByState.crashed) return 'bad';
  return outcome === 'achieved' && status === sessionStatus.stopped ? 'good' : (tones[status] ?? 'plain');
}

/** Returns the word of a status. V3 reports both a completed and a stopped session as stopped. */
function getWords(status: string, outcome: ConsoleOutcome | null | undefined): string {
  const isCompleted = outcome === 'achieved' || outcome === 'missed';
  return status === sessionStatus.stopped && isCompleted ? runStatus.completed : status.replaceAll('_', ' ');
}

/** Time since a moment, with the moment as tooltip. */
export function TimeAgo({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at, Date.now())}
    </time>
  );
}

/** Time of day of a moment, with the date as tooltip. */
export function ClockTime({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={moment(at)}>
      {new Date(at).toLocaleTimeString()}
    </time>
  );
}

/** Error message, which screen readers announce at once; nothing without an error. */
export function FaultNotice({ fault }: { readonly fault: Error | null }): JSX.Element | null {
  return fault === null ? null : (
    <p class="fault" role="alert">
      {fault.message}
    </p>
  );
}

/** Placeholder lines while data are loaded, with a text for screen readers. */
export function Loading(): JSX.Element {
  return (
    <div class="loading">
      <span class="unseen">Loading…</span>
      <span class="loading-row" />
      <span class="loading-row" />
      <span class="loading-row" />
    </div>
  );
}

/** State of a reading: its error, else the placeholder before the first response, else nothing. */
export function ReadingState(props: { readonly of: unknown; readonly fault: Error | null }): JSX.Element | null {
  const { of: value, fault } = props;
  return value === undefined && fault === null ? <Loading /> : <FaultNotice fault={fault} />;
}

/** Button that copies a text. Where the browser does not allow it, asks the user to select the text. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const { say } = useSession();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(`Copied: ${what}`);
    } catch {
      // Browsers allow the clipboard only on HTTPS pages.
      say(`The browser does not allow copying. Select the ${what} and copy it`);
    }
  };
  return (
    <button type="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}

/** Result of a task; nothing without one. */
export function Result({ text }: { readonly text: string | null }): JSX.Element | null {
  if (text === null) return null;
  return (
    <>
      <h3>Result</h3>
      <pre class="result">{text}</pre>
    </>
  );
}

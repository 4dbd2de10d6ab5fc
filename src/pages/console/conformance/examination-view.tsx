import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ConsoleExamination } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

/** A run of the suite: how far it is, and its report. */
export function ExaminationView(props: {
  readonly examination: ConsoleExamination;
  readonly path: string;
  readonly onStopped: () => Promise<void>;
}): JSX.Element {
  const { state, startedAt, judged, planned, requests, reportPath, reason } = props.examination;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const before = useRef(state);
  useEffect(() => {
    if (before.current === 'running' && state !== 'running') say(resultOf(props.examination));
    before.current = state;
  }, [state]);
  const stop = async (): Promise<void> => {
    await api.call('DELETE', props.path);
    say('The suite is being stopped');
    await props.onStopped();
  };
  return (
    <section aria-labelledby="examination">
      <div class="head">
        <h2 id="examination">Last run</h2>
        <StatusBadge status={state} />
        <TimeAgo at={startedAt} />
        {state === 'running' && (
          <button type="button" disabled={isBusy} onClick={() => void run(stop)}>
            Stop
          </button>
        )}
      </div>
      <FaultNotice fault={fault} />
      {state === 'running' && (
        <p class="progress">
          <progress max={Math.max(planned, 1)} value={judged} aria-label="Requirements judged" />
          {judged} of {planned} requirements judged, {requests} requests
        </p>
      )}
      {state === 'failed' && <p class="fault">{reason}</p>}
      {reportPath !== null && (
        <>
          <p>{resultOf(props.examination)}</p>
          <iframe class="report" src={reportPath} sandbox="allow-scripts" title="Conformance report" />
          <p>
            <a href={reportPath} target="_blank" rel="noreferrer">
              Open the report in a tab of its own
            </a>
          </p>
        </>
      )}
    </section>
  );
}

function resultOf({ state, violations, passed, reason }: ConsoleExamination): string {
  if (state === 'failed') return reason ?? 'The suite has failed';
  const found = violations === 0 ? 'No violation' : `${violations} ${violations === 1 ? 'violation' : 'violations'}`;
  return `${found}; ${passed} requirements passed`;
}

import type { JSX } from 'preact';
import { type ConsoleExamination, examinationState } from '#contract/console-messages.ts';
import { useSession, useAction } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import { FaultNotice, StatusBadge, TimeAgo } from '../parts/facts.tsx';
import { Field, onFormSubmit } from '../parts/fields.tsx';
import { useEffect, useRef } from 'preact/hooks';

const everyMs = 2_000;
const path = 'console/api/examination';

/** Runs the suite against this service and shows its findings. */
export function ConformancePage(): JSX.Element {
  const { canExamine } = useSession().login;
  return (
    <>
      <h1>Conformance</h1>
      {canExamine ? (
        <Examination />
      ) : (
        <p class="quiet">This service was started without the suite. Run svc check against it instead.</p>
      )}
    </>
  );
}

/** The latest run of the suite, and a form that starts a run. */
function Examination(): JSX.Element {
  const { api } = useSession();
  const { value, fault, refresh } = usePoll(path, () => api.call<ConsoleExamination | null>('GET', path), everyMs);
  return (
    <>
      <p class="quiet">
        Tests this service over HTTP against its contract, as <code>svc check</code> does.
      </p>
      <FaultNotice fault={fault} />
      {value?.state === examinationState.running ? null : <ExaminationForm onStarted={refresh} />}
      {value !== undefined && value !== null && (
        <ExaminationView key={value.startedAt} examination={value} onStopped={refresh} />
      )}
    </>
  );
}

/** Form that starts a run of the suite. */
function ExaminationForm({ onStarted }: { readonly onStarted: () => Promise<void> }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card"
      aria-label="Run the suite"
      onSubmit={onFormSubmit(run, async ({ text }) => {
        await api.call('POST', path, { spend: text('spend'), profile: text('profile') });
        say('The suite runs');
        await onStarted();
      })}
    >
      <div class="fields">
        <Field label="Scope">
          <select name="profile">
            <option value="documented">The contract</option>
            <option value="full">The contract and beyond</option>
            <option value="smoke">Smoke test: five requests</option>
          </select>
        </Field>
        <Field label="Allowed costs" hint="The project pays. The suite removes the resources that it creates">
          <select name="spend">
            <option value="none">Nothing</option>
            <option value="storage">Profiles, workspaces, small files</option>
            <option value="browser">Browsers too</option>
            <option value="task">Tasks too</option>
          </select>
        </Field>
      </div>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Run the suite
        </button>
      </div>
    </form>
  );
}

/** Progress and report of a run of the suite. */
function ExaminationView(props: {
  readonly examination: ConsoleExamination;
  readonly onStopped: () => Promise<void>;
}): JSX.Element {
  const { state, startedAt, judged, planned, requests, reportPath, reason } = props.examination;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const isRunning = state === examinationState.running;
  const before = useRef(state);
  useEffect(() => {
    if (before.current === examinationState.running && !isRunning) say(getResult(props.examination));
    before.current = state;
  }, [state]);
  const stop = async (): Promise<void> => {
    await api.call('DELETE', path);
    say('The suite is being stopped');
    await props.onStopped();
  };
  return (
    <section aria-labelledby="examination">
      <div class="head">
        <h2 id="examination">Last run</h2>
        <StatusBadge status={state} />
        <TimeAgo at={startedAt} />
        {isRunning && (
          <button type="button" disabled={isBusy} onClick={() => void run(stop)}>
            Stop
          </button>
        )}
      </div>
      <FaultNotice fault={fault} />
      {isRunning && (
        <p class="progress">
          <progress max={Math.max(planned, 1)} value={judged} aria-label="Requirements judged" />
          {judged} of {planned} requirements judged, {requests} requests
        </p>
      )}
      {state === examinationState.failed && <p class="fault">{reason}</p>}
      {reportPath !== null && (
        <>
          <p>{getResult(props.examination)}</p>
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

function getResult({ state, violations, passed, reason }: ConsoleExamination): string {
  if (state === examinationState.failed) return reason ?? 'The suite has failed';
  const found = violations === 0 ? 'No violation' : `${violations} ${violations === 1 ? 'violation' : 'violations'}`;
  return `${found}; ${passed} requirements passed`;
}

import type { JSX } from 'preact';
import type { ConsoleExamination } from '#contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { usePoll } from '../api/hooks.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { ExaminationForm } from '../conformance/examination-form.tsx';
import { ExaminationView } from '../conformance/examination-view.tsx';

const everyMs = 2_000;
const path = 'console/api/examination';

/** Runs the suite against this very service and shows what it has found. */
export function ConformancePage(): JSX.Element {
  const { api, login } = useSession();
  const { value, fault, refresh } = usePoll(path, () => api.call<ConsoleExamination | null>('GET', path), everyMs);
  if (!login.canExamine)
    return (
      <>
        <h1>Conformance</h1>
        <p class="quiet">This service was started without the suite. Run svc check against it instead.</p>
      </>
    );
  return (
    <>
      <h1>Conformance</h1>
      <p class="quiet">
        Tests this service over HTTP against its contract, as <code>svc check</code> does.
      </p>
      <FaultNotice fault={fault} />
      {value?.state === 'running' ? null : <ExaminationForm path={path} onStarted={refresh} />}
      {value !== undefined && value !== null && (
        <ExaminationView key={value.startedAt} examination={value} path={path} onStopped={refresh} />
      )}
    </>
  );
}

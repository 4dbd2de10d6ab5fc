import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import { usePoll } from '../api/hooks.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Recordings } from '../parts/recording.tsx';

/** A recording comes some time after the end of a task, with the end of its browser. */
const everyMs = 15_000;

/** What was recorded of the browsers of a session: the documents have no place for it. */
export function SessionRecordings({ sessionId }: { readonly sessionId: string }): JSX.Element | null {
  const { api } = useSession();
  const path = `console/api/sessions/${sessionId}/recordings`;
  const { value, fault } = usePoll(path, () => api.call<readonly string[]>('GET', path), everyMs);
  if (fault !== null) return <FaultNotice fault={fault} />;
  if (value === undefined || value.length === 0) return null;
  return (
    <section class="card" aria-label="Recordings">
      <Recordings addresses={value} />
    </section>
  );
}

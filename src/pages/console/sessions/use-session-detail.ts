import type { ConsoleSessionDetail } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { usePoll } from '../api/hooks.ts';

const everyMs = 2_000;

/** Reads what the documents do not tell of a session; again when `state` changes, and again and again while it works. */
export function useSessionDetail(
  sessionId: string,
  { state, isWorking }: { readonly state: string; readonly isWorking: boolean },
): Partial<ConsoleSessionDetail> & Pick<ConsoleSessionDetail, 'runs'> {
  const { api } = useSession();
  const path = `console/api/sessions/${sessionId}`;
  // Facts beside those of the documents: where they cannot be read, the fault of the session itself is shown.
  const { value } = usePoll(
    `${path} ${state}`,
    () => api.call<ConsoleSessionDetail>('GET', path),
    isWorking ? everyMs : null,
  );
  return value ?? { runs: [] };
}

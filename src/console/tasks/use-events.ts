import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { RunEvent, RunEventList } from '../api/types.ts';
import { usePoll } from '../api/use-poll.ts';

const everyMs = 2_000;
const pageSize = 500;

/** The events of a run so far; while it works, what is new every two seconds. Each is read once. */
export function useEvents(
  runId: string,
  { isRead, isWorking }: { readonly isRead: boolean; readonly isWorking: boolean },
): { readonly events: readonly RunEvent[]; readonly fault: Error | null } {
  const { api } = useSession();
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  const after = useRef(0);
  // The end of a run is a key of its own: what came last is read once more.
  const key = `${runId} ${String(isRead)} ${String(isWorking)}`;
  const { value, fault } = usePoll(
    key,
    async () => {
      if (!isRead) return [];
      const page = await api.call<RunEventList>(
        'GET',
        `api/v4/runs/${runId}/events?after=${after.current}&limit=${pageSize}&include_output=false`,
      );
      after.current = page.nextAfter ?? after.current;
      return page.events;
    },
    isRead && isWorking ? everyMs : null,
  );
  useEffect(() => {
    if (value === undefined || value.length === 0) return;
    setEvents((before) => {
      const last = before.at(-1)?.id ?? 0;
      return [...before, ...value.filter(({ id }) => id > last)];
    });
  }, [value]);
  return { events, fault };
}

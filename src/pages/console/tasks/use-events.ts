import { useRef, useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { RunEvent, RunEventList } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';

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
  const { fault } = usePoll(
    `${runId} ${String(isRead)} ${String(isWorking)}`,
    async () => {
      for (let hasMore = isRead; hasMore; ) {
        const page = await api.call<RunEventList>(
          'GET',
          `api/v4/runs/${runId}/events?after=${after.current}&limit=${pageSize}&include_output=false`,
        );
        // Kept together with the place to go on from: usePoll drops the result of a reading that began under an earlier key.
        after.current = Math.max(after.current, page.nextAfter ?? 0);
        setEvents((before) => [...before, ...page.events.filter(({ id }) => id > (before.at(-1)?.id ?? 0))]);
        hasMore = page.hasMore === true && page.events.length > 0;
      }
      return null;
    },
    isRead && isWorking ? everyMs : null,
  );
  return { events, fault };
}

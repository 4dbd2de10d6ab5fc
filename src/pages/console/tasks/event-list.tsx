import type { JSX } from 'preact';
import type { RunEvent, RunEventList } from '../api/types.ts';
import { ownPath } from '../format.ts';
import { ClockTime } from '../parts/facts.tsx';
import { type Shot, type Happening, Timeline } from './timeline.tsx';
import { eventWords, stepLapses } from './v4-texts.ts';
import { useRef, useState } from 'preact/hooks';
import { useSession } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import type { ConsolePicture } from '#contract/console-messages.ts';

/** Events of a run in order; new events are announced to screen readers. */
export function EventList(props: {
  readonly events: readonly RunEvent[];
  readonly fault: Error | null;
  readonly isWorking: boolean;
  /** Returns the screenshot of an event, or null. */
  readonly findShot: (event: RunEvent) => Shot | null;
}): JSX.Element {
  const { events, findShot, ...state } = props;
  const took = stepLapses(events);
  return (
    <Timeline
      name="Steps and events"
      happenings={events.map((event) => happening(event, findShot(event), took.get(event.id) ?? null))}
      {...state}
    />
  );
}

function happening(event: RunEvent, shot: Shot | null, lapse: string | null): Happening {
  const isMain = event.type === 'agent.step';
  return { key: event.id, mark: <ClockTime at={event.ts} />, ...eventWords(event), lapse, isMain, shot };
}

const everyMs = 2_000;
const pageSize = 500;

/** Reads the events of a run; while the run works, reads new events repeatedly. No event is listed twice. */
export function useEvents(
  runId: string,
  { isRead, isWorking }: { readonly isRead: boolean; readonly isWorking: boolean },
): { readonly events: readonly RunEvent[]; readonly fault: Error | null } {
  const { api } = useSession();
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  const after = useRef(0);
  // The end of a run has a key of its own, so that the last events are read once more.
  const { fault } = usePoll(
    `${runId} ${String(isRead)} ${String(isWorking)}`,
    async () => {
      for (let hasMore = isRead; hasMore; ) {
        const page = await api.call<RunEventList>(
          'GET',
          `api/v4/runs/${runId}/events?after=${after.current}&limit=${pageSize}&include_output=false`,
        );
        // Stored together with the position of the next reading, because usePoll drops a result that began under an
        // earlier key.
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

const picturesEveryMs = 2_000;

/** Screenshots of a run. */
export interface Pictures {
  readonly fault: Error | null;
  /** Returns the screenshot of an event, or null. */
  readonly findShot: (event: RunEvent) => Shot | null;
}

/** Reads the screenshots of a run while they are shown. No documented operation returns screenshots of a run. */
export function usePictures(
  runId: string,
  { isRead, isWorking }: { readonly isRead: boolean; readonly isWorking: boolean },
): Pictures {
  const { api } = useSession();
  const path = `console/api/runs/${runId}/pictures`;
  const read = (): Promise<readonly ConsolePicture[]> => api.call('GET', path);
  const { value, fault } = usePoll(
    `${path} ${String(isRead)} ${String(isWorking)}`,
    async () => (isRead ? read() : []),
    isRead && isWorking ? picturesEveryMs : null,
  );
  const known = new Map(value?.map(({ eventId, url }) => [eventId, ownPath(url, 2)]));
  return {
    fault,
    findShot(event) {
      const address = known.get(event.id);
      if (address === undefined) return null;
      const renew = async (): Promise<string | null> => {
        const fresh = (await read()).find(({ eventId }) => eventId === event.id);
        return fresh === undefined ? null : ownPath(fresh.url, 2);
      };
      return { address, name: `Picture of: ${eventWords(event).text}`, renew };
    },
  };
}

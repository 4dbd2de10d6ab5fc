import type { ConsolePicture } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import type { RunEvent } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';
import { ownPath } from '../format/own-path.ts';
import type { Shot } from '../steps/step-picture.tsx';
import { eventWords } from './event-words.ts';

const everyMs = 2_000;

/** The pictures of a run. */
export interface Pictures {
  readonly fault: Error | null;
  /** What the browser showed at an event, or null. */
  readonly shotOf: (event: RunEvent) => Shot | null;
}

/** The pictures of a run, as long as they are looked at: the documents have no place for them. */
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
    isRead && isWorking ? everyMs : null,
  );
  const known = new Map(value?.map(({ eventId, url }) => [eventId, ownPath(url, 2)]));
  return {
    fault,
    shotOf(event) {
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

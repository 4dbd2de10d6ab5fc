import { useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { SessionInfo, SessionInfoList } from '../api/types.ts';
import { usePoll } from '../api/use-poll.ts';

const everyMs = 4_000;
const pageSize = 30;

/** The sessions of the project, the newest first: the first page follows what happens, older ones are read when somebody asks. */
export interface Sessions {
  /** undefined before the first answer. */
  readonly sessions: readonly SessionInfo[] | undefined;
  readonly fault: Error | null;
  /** Reads older ones; null when there are none. */
  readonly more: (() => Promise<void>) | null;
}

/** Reads them as long as they are shown. */
export function useSessions(): Sessions {
  const { api } = useSession();
  const read = (cursor: string | null): Promise<SessionInfoList> =>
    api.call(
      'GET',
      `api/v4/sessions?limit=${pageSize}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
  const { value: first, fault } = usePoll('sessions', () => read(null), everyMs);
  const [older, setOlder] = useState<{ readonly sessions: readonly SessionInfo[]; readonly cursor: string | null }>();
  const cursor = (older === undefined ? first?.nextCursor : older.cursor) ?? null;
  const known = new Set(first?.sessions.map(({ sessionId }) => sessionId));
  return {
    sessions: first && [...first.sessions, ...(older?.sessions ?? []).filter(({ sessionId }) => !known.has(sessionId))],
    fault,
    more:
      cursor === null
        ? null
        : async () => {
            const next = await read(cursor);
            setOlder({ sessions: [...(older?.sessions ?? []), ...next.sessions], cursor: next.nextCursor ?? null });
          },
  };
}

import { useCallback, useRef, useState } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import type { V3Message, V3MessageList, V3Session } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';

const everyMs = 2_000;
const pageSize = 100;

/** The messages of a session that were read, oldest first. */
export interface Messages {
  readonly messages: readonly V3Message[];
  readonly fault: Error | null;
  /** Reads earlier ones; null where there are none. */
  readonly earlier: (() => Promise<void>) | null;
}

/** Reads the latest messages of a session, then what is new: again and again as long as it works, else when it has changed. Each is read once. */
export function useMessages(
  { id: sessionId, updatedAt }: Pick<V3Session, 'id' | 'updatedAt'>,
  isWorking: boolean,
): Messages {
  const { api } = useSession();
  const [{ messages, hasEarlier }, setRead] = useState<{ messages: readonly V3Message[]; hasEarlier: boolean }>({
    messages: [],
    hasEarlier: false,
  });
  const last = useRef<string | null>(null);
  const read = useCallback(
    (place: string): Promise<V3MessageList> =>
      api.call('GET', `api/v3/sessions/${sessionId}/messages?limit=${pageSize}${place}`),
    [api, sessionId],
  );
  // At rest each change is a key of its own: a task may begin and end between two looks at the session.
  const { fault } = usePoll(
    `${sessionId} ${isWorking ? 'works' : updatedAt}`,
    async () => {
      for (let hasNewer = true; hasNewer; ) {
        const isFirst = last.current === null;
        const page = await read(isFirst ? '' : `&after=${String(last.current)}`);
        last.current = page.messages.at(-1)?.id ?? last.current;
        setRead((before) => ({
          messages: [...before.messages, ...page.messages.filter(isNewTo(before.messages))],
          hasEarlier: isFirst ? page.hasMore : before.hasEarlier,
        }));
        // The first page holds the latest messages: what it leaves out is earlier.
        hasNewer = !isFirst && page.hasMore && page.messages.length > 0;
      }
      return null;
    },
    isWorking ? everyMs : null,
  );
  const [first] = messages;
  const earlier = async (): Promise<void> => {
    const page = await read(`&before=${String(first?.id)}`);
    setRead((before) => ({
      messages: [...page.messages.filter(isNewTo(before.messages)), ...before.messages],
      hasEarlier: page.hasMore,
    }));
  };
  return { messages, fault, earlier: hasEarlier && first !== undefined ? earlier : null };
}

/** Two readings may overlap. */
function isNewTo(known: readonly V3Message[]): (message: V3Message) => boolean {
  const ids = new Set(known.map(({ id }) => id));
  return ({ id }) => !ids.has(id);
}

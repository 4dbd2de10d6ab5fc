import type { JSX } from 'preact';
import { useSession, useAction, usePoll } from '../api/hooks.ts';
import type { V3MessageList, V3Session, V3Message } from '../api/types.ts';
import { ownPath, lapses } from '../format.ts';
import { FaultNotice, ClockTime } from '../parts/facts.tsx';
import { Timeline, type Happening } from './timeline.tsx';
import { getLine, messageWords } from './v3-texts.ts';
import { useCallback, useRef, useState } from 'preact/hooks';

/** Requests and actions of a session with screenshots of its steps. */
export function MessageList(props: { readonly session: V3Session; readonly isWorking: boolean }): JSX.Element {
  const { session, isWorking } = props;
  const { api } = useSession();
  const { messages, fault, earlier } = useMessages(session, isWorking);
  const { run, isBusy, fault: earlierFault } = useAction();
  const renewed = async (before: string | undefined, id: string): Promise<string | null> => {
    const place = before === undefined ? '' : `&after=${before}`;
    const path = `api/v3/sessions/${session.id}/messages?limit=${before === undefined ? 100 : 1}${place}`;
    const page = await api.call<V3MessageList>('GET', path);
    const address = page.messages.find((message) => message.id === id)?.screenshotUrl ?? null;
    return address === null ? null : ownPath(address, 2);
  };
  return (
    <section class="card" aria-labelledby="messages">
      <h3 id="messages">Messages and steps</h3>
      <FaultNotice fault={earlierFault} />
      {earlier !== null && (
        <button type="button" class="wide" disabled={isBusy} onClick={() => void run(earlier)}>
          Show earlier
        </button>
      )}
      <Timeline
        name="Messages and steps"
        happenings={messages.map((message, index) =>
          messageHappening(message, messages[index - 1], () => renewed(messages[index - 1]?.id, message.id)),
        )}
        fault={fault}
        isWorking={isWorking}
      />
    </section>
  );
}

/** Returns a message as an entry of the timeline: requests in full, all other messages in one line. */
function messageHappening(
  message: V3Message,
  before: V3Message | undefined,
  renew: () => Promise<string | null>,
): Happening {
  const { id, createdAt, screenshotUrl } = message;
  const isStep = message.role !== 'human' && message.type !== 'completion';
  const [lapse = null] = isStep ? lapses(before?.createdAt ?? null, [createdAt]) : [];
  return {
    key: id,
    mark: <ClockTime at={createdAt} />,
    lapse,
    text: messageWords(message),
    url: null,
    isMain: true,
    shot: screenshotUrl ? { address: ownPath(screenshotUrl, 2), name: `Picture of: ${getLine(message)}`, renew } : null,
  };
}

const everyMs = 2_000;
const pageSize = 100;

/** Messages that were read, the oldest first. */
export interface Messages {
  readonly messages: readonly V3Message[];
  readonly fault: Error | null;
  /** Reads earlier messages; null when there are no earlier ones. */
  readonly earlier: (() => Promise<void>) | null;
}

/**
 * Reads the latest messages of a session, then new ones: repeatedly while it works, else after a change. Each message
 * is read once.
 */
function useMessages({ id: sessionId, updatedAt }: Pick<V3Session, 'id' | 'updatedAt'>, isWorking: boolean): Messages {
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
  // At rest each change has a key of its own, because a task may begin and end between two readings of the session.
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
        // The first page has the latest messages; omitted ones are earlier.
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

/** Returns a filter for unknown messages, because two readings may overlap. */
function isNewTo(known: readonly V3Message[]): (message: V3Message) => boolean {
  const ids = new Set(known.map(({ id }) => id));
  return ({ id }) => !ids.has(id);
}

import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { V3MessageList, V3Session } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { ownPath } from '../format/own-path.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Timeline } from './timeline.tsx';
import { messageHappening } from '../v3/message-happening.tsx';
import { useMessages } from '../v3/use-messages.ts';

/** What was asked of a session and what the agent did, with the pictures of its steps. */
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

import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { MessageQueue } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';

/** The messages that wait for a session; each can be taken back. */
export function WaitingMessages(props: {
  readonly queue: MessageQueue | undefined;
  readonly path: string;
  readonly onChanged: () => Promise<void>;
}): JSX.Element | null {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const waiting = props.queue?.queue.filter(({ status }) => status === 'pending') ?? [];
  if (waiting.length === 0 && fault === null) return null;
  return (
    <>
      <ul class="waiting" aria-label="Waiting messages">
        {waiting.map(({ id, text }) => (
          <li key={id}>
            <span>{text}</span>
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Take back: ${text}`}
              onClick={() =>
                void run(async () => {
                  await api.call('DELETE', `${props.path}/${id}`);
                  say('The message was withdrawn');
                  await props.onChanged();
                })
              }
            >
              Take back
            </button>
          </li>
        ))}
      </ul>
      <FaultNotice fault={fault} />
    </>
  );
}

import type { JSX } from 'preact';
import type { RunEvent } from '../api/types.ts';
import { moment } from '../format/time.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { eventWords } from './event-words.ts';

/** What happened in a run, in order; what is new is read out while the run works. */
export function EventList(props: {
  readonly events: readonly RunEvent[];
  readonly fault: Error | null;
  readonly isWorking: boolean;
}): JSX.Element {
  const { events, fault, isWorking } = props;
  return (
    <>
      <FaultNotice fault={fault} />
      <ol class="events" aria-live={isWorking ? 'polite' : 'off'} aria-label="Steps and events">
        {events.map((event) => (
          <EventItem key={event.id} event={event} />
        ))}
      </ol>
      {events.length === 0 && fault === null && <p class="quiet">Nothing has happened yet.</p>}
    </>
  );
}

function EventItem({ event }: { readonly event: RunEvent }): JSX.Element {
  const { text, url } = eventWords(event);
  return (
    <li class={event.type === 'agent.step' ? 'step' : ''}>
      <time dateTime={event.ts} title={moment(event.ts)}>
        {new Date(event.ts).toLocaleTimeString()}
      </time>
      <span>
        {text}
        {url !== null && <span class="url">{url}</span>}
      </span>
    </li>
  );
}

import type { JSX } from 'preact';
import type { RunEvent } from '../api/types.ts';
import { ClockTime } from '../parts/clock-time.tsx';
import type { Shot } from '../steps/step-picture.tsx';
import { type Happening, Timeline } from '../steps/timeline.tsx';
import { eventWords } from './event-words.ts';

/** What happened in a run, in order; what is new is read out while the run works. */
export function EventList(props: {
  readonly events: readonly RunEvent[];
  readonly fault: Error | null;
  readonly isWorking: boolean;
  /** What the browser showed at an event, or null. */
  readonly shotOf: (event: RunEvent) => Shot | null;
}): JSX.Element {
  const { events, shotOf, ...state } = props;
  return (
    <Timeline name="Steps and events" happenings={events.map((event) => happening(event, shotOf(event)))} {...state} />
  );
}

function happening(event: RunEvent, shot: Shot | null): Happening {
  const isMain = event.type === 'agent.step';
  return { key: event.id, mark: <ClockTime at={event.ts} />, ...eventWords(event), isMain, shot };
}

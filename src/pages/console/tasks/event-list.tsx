import type { JSX } from 'preact';
import type { RunEvent } from '../api/types.ts';
import { lapses } from '../format.ts';
import { ClockTime } from '../parts/clock-time.tsx';
import type { Shot } from '../steps/step-picture.tsx';
import { type Happening, Timeline } from './timeline.tsx';
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
  const took = stepLapses(events);
  return (
    <Timeline
      name="Steps and events"
      happenings={events.map((event) => happening(event, shotOf(event), took.get(event.id) ?? null))}
      {...state}
    />
  );
}

function happening(event: RunEvent, shot: Shot | null, lapse: string | null): Happening {
  const isMain = event.type === 'agent.step';
  return { key: event.id, mark: <ClockTime at={event.ts} />, ...eventWords(event), lapse, isMain, shot };
}

/** How long the steps among events took: the first one from when the agent had its browser. */
export function stepLapses(events: readonly RunEvent[]): ReadonlyMap<number, string | null> {
  const steps = events.filter(({ type }) => type === 'agent.step');
  const ready = events.findLast(({ type, id }) => readyTypes.has(type) && id < (steps[0]?.id ?? 0));
  const took = lapses(
    ready?.ts ?? null,
    steps.map(({ ts }) => ts),
  );
  return new Map(steps.map(({ id }, index) => [id, took[index] ?? null]));
}

const readyTypes: ReadonlySet<string> = new Set(['run.started', 'browser.ready']);

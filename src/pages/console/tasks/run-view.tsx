import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleRun } from '../../../contract/console-messages.ts';
import type { Run } from '../api/types.ts';
import { LiveFrame } from '../parts/live-frame.tsx';
import { Result } from '../parts/result.tsx';
import { EventList } from './event-list.tsx';
import { isActive } from './is-active.ts';
import { liveAddress } from './live-address.ts';
import { RunFacts } from './run-facts.tsx';
import { resultText } from './result-text.ts';
import { useEvents } from './use-events.ts';
import { usePictures } from './use-pictures.ts';

/** One task of a session with what came of it; its steps are read as soon as they are shown. */
export function RunView(props: {
  readonly run: Run;
  /** undefined before it is known. */
  readonly seen: ConsoleRun | undefined;
  readonly isLatest: boolean;
}): JSX.Element {
  const { run, seen, isLatest } = props;
  const isWorking = isActive(run.status);
  const [isOpen, setOpen] = useState(isLatest);
  const { events, fault } = useEvents(run.id, { isRead: isOpen || isWorking, isWorking });
  const pictures = usePictures(run.id, { isRead: isOpen || isWorking, isWorking });
  const live = isWorking ? liveAddress(events) : null;
  const result = resultText(run);
  return (
    <section class="run" aria-label={`Task: ${run.title ?? run.task}`}>
      <p class="goal">{run.task}</p>
      <RunFacts run={run} seen={seen} />
      {live !== null && <LiveFrame address={live} title="Live browser of the task" />}
      <Result text={result} />
      {run.error !== null && run.error !== undefined && <p class="fault">{run.error}</p>}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Steps and events</summary>
        <EventList events={events} fault={fault ?? pictures.fault} isWorking={isWorking} shotOf={pictures.shotOf} />
      </details>
    </section>
  );
}

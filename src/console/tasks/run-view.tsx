import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Run } from '../api/types.ts';
import { usdOfText } from '../format/money.ts';
import { outcomeWords } from '../format/outcome-words.ts';
import { Facts } from '../parts/facts.tsx';
import { LiveFrame } from '../parts/live-frame.tsx';
import { Result } from '../parts/result.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { hashOf } from '../place/parse-place.ts';
import { EventList } from './event-list.tsx';
import { isActive } from './is-active.ts';
import { outcomeOf } from './outcome-of.ts';
import { liveAddress } from './live-address.ts';
import { resultText } from './result-text.ts';
import { useEvents } from './use-events.ts';
import { usePictures } from './use-pictures.ts';

/** One task of a session with what came of it; its steps are read as soon as they are shown. */
export function RunView({ run, isLatest }: { readonly run: Run; readonly isLatest: boolean }): JSX.Element {
  const isWorking = isActive(run.status);
  const [isOpen, setOpen] = useState(isLatest);
  const { events, fault } = useEvents(run.id, { isRead: isOpen || isWorking, isWorking });
  const pictures = usePictures(run.id, { isRead: isOpen || isWorking, isWorking });
  const live = isWorking ? liveAddress(events) : null;
  const outcome = outcomeOf(events);
  const result = resultText(run);
  const tokens = (run.totalInputTokens ?? 0) + (run.totalOutputTokens ?? 0);
  return (
    <section class="run" aria-label={`Task: ${run.title ?? run.task}`}>
      <p class="goal">{run.task}</p>
      <Facts
        rows={[
          ['Status', <StatusBadge status={run.status} isAchieved={outcome.isAchieved} reason={outcome.reason} />],
          ['Goal', outcomeWords(outcome.isAchieved)],
          ['Started', <TimeAgo at={run.createdAt} />],
          ['Model', run.model],
          ['Tokens', tokens.toLocaleString('en')],
          ['Cost', usdOfText(run.totalCostUsd)],
          ['Files', run.workspaceId && <a href={hashOf({ page: 'workspaces', id: run.workspaceId })}>Workspace</a>],
        ]}
      />
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

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleRun } from '#contract/console-messages.ts';
import type { Run } from '../api/types.ts';
import { LiveFrame } from '../parts/recording.tsx';
import { Result, Facts, StatusBadge, TimeAgo } from '../parts/facts.tsx';
import { EventList, useEvents, usePictures } from './event-list.tsx';
import { usdOfText, runSpan } from '../format.ts';
import { getHash } from '../place.ts';
import { costRows, workerWords } from './session-detail.ts';
import { isActive, liveAddress, resultText } from './v4-texts.ts';

/** A task of a session with its result; its steps are read when they are shown. */
export function RunView(props: {
  readonly run: Run;
  /** undefined before the first response. */
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

/** Facts of a V4 run; `seen` is undefined before the console's own facts are read. */
function RunFacts({ run, seen }: { readonly run: Run; readonly seen: ConsoleRun | undefined }): JSX.Element {
  const tokens = (run.totalInputTokens ?? 0) + (run.totalOutputTokens ?? 0);
  const runs = seen === undefined ? [] : [seen];
  return (
    <Facts
      rows={[
        ['Status', <StatusBadge status={run.status} outcome={seen?.outcome} />],
        ['Started', <TimeAgo at={run.createdAt} />],
        ['Duration', seen && runSpan(seen)],
        ['Model', workerWords(run.model, runs)],
        ['Tokens', tokens.toLocaleString('en')],
        ['Cost', usdOfText(run.totalCostUsd)],
        ...costRows(runs),
        ['Files', run.workspaceId && <a href={getHash({ page: 'workspaces', id: run.workspaceId })}>Workspace</a>],
      ]}
    />
  );
}

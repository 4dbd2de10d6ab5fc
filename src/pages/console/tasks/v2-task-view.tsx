import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleRun } from '#contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import type { V2TaskItem } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { usdOfText } from '../format/money.ts';
import { outcomeWords } from '../format/outcome-words.ts';
import { runSpan } from '../format.ts';
import { Facts } from '../parts/facts.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Result } from '../parts/result.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { costRows, workerWords } from './session-detail.ts';
import { V2Steps } from '../v2/v2-steps.tsx';
import { isWorking } from '../v2/v2-states.ts';

/** One task of a V2 session with what came of it; its steps are read as soon as they are shown. */
export function V2TaskView(props: {
  readonly item: V2TaskItem;
  /** undefined before it is known. */
  readonly seen: ConsoleRun | undefined;
  readonly isLatest: boolean;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { item, seen, isLatest, onChanged } = props;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const [isOpen, setOpen] = useState(isLatest);
  const runs = seen === undefined ? [] : [seen];
  const isAtWork = isWorking(item.status);
  const stop = async (): Promise<void> => {
    await api.call('PATCH', `api/v2/tasks/${item.id}`, { action: 'stop' });
    say('The task was stopped');
    await onChanged();
  };
  return (
    <section class="run" aria-label={`Task: ${item.task}`}>
      <p class="goal">{item.task}</p>
      <Facts
        rows={[
          ['Status', <StatusBadge status={item.status} outcome={seen?.outcome} reason={seen?.reason} />],
          ['Judge', outcomeWords(item.judgeVerdict)],
          ['Started', <TimeAgo at={item.createdAt} />],
          ['Duration', seen && runSpan(seen)],
          ['Model', workerWords(item.llm, runs)],
          ['Cost', item.cost && usdOfText(item.cost)],
          ...costRows(runs),
        ]}
      />
      <FaultNotice fault={fault} />
      {isAtWork && (
        <div class="buttons">
          <button type="button" disabled={isBusy} onClick={() => void run(stop)}>
            Stop the task
          </button>
        </div>
      )}
      <Result text={item.output ?? null} />
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Steps</summary>
        {isOpen && <V2Steps taskId={item.id} isWorking={isAtWork} seen={seen} />}
      </details>
    </section>
  );
}

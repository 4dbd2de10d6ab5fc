import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleRun } from '#contract/console-messages.ts';
import { useSession, useAction, usePoll } from '../api/hooks.ts';
import type { V2TaskItem, V2Task, V2OutputFileAddress } from '../api/types.ts';
import { usdOfText, runSpan, lapses, ownPath } from '../format.ts';
import { Facts, StatusBadge, TimeAgo, FaultNotice, Result, Loading } from '../parts/facts.tsx';
import { costRows, workerWords } from './session-detail.ts';
import { Timeline } from './timeline.tsx';
import { getPicture, isTaskWorking, outcomeWords, stepHappening } from './v2-texts.ts';

/** A task of a V2 session with its result; its steps are read when they are shown. */
export function V2TaskView(props: {
  readonly item: V2TaskItem;
  /** undefined before the first response. */
  readonly seen: ConsoleRun | undefined;
  readonly isLatest: boolean;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { item, seen, isLatest, onChanged } = props;
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const [isOpen, setOpen] = useState(isLatest);
  const runs = seen === undefined ? [] : [seen];
  const isAtWork = isTaskWorking(item.status);
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

const everyMs = 2_000;

/** Steps of a V2 task with their screenshots, and its output files. */
function V2Steps(props: {
  readonly taskId: string;
  readonly isWorking: boolean;
  /** undefined before the first response. */
  readonly seen: ConsoleRun | undefined;
}): JSX.Element {
  const { taskId, isWorking, seen } = props;
  const { api } = useSession();
  const path = `api/v2/tasks/${taskId}`;
  const read = (): Promise<V2Task> => api.call('GET', path);
  // The end of a task has a key of its own, so that the last steps are read once more.
  const { value, fault } = usePoll(`${path} ${String(isWorking)}`, read, isWorking ? everyMs : null);
  const renewed = async (number: number): Promise<string | null> =>
    getPicture((await read()).steps.find((step) => step.number === number));
  const took = lapses(seen?.startedAt ?? null, seen?.stepsEndedAt ?? []);
  if (value === undefined && fault === null) return <Loading />;
  return (
    <>
      <Timeline
        name="Steps"
        happenings={(value?.steps ?? []).map((step, index) =>
          stepHappening(step, took[index] ?? null, () => renewed(step.number)),
        )}
        fault={fault}
        isWorking={isWorking}
      />
      <OutputFiles taskId={taskId} files={value?.outputFiles ?? []} />
    </>
  );
}

/** Output files of a V2 task, which can be saved; nothing without any. */
function OutputFiles(props: { readonly taskId: string; readonly files: V2Task['outputFiles'] }): JSX.Element | null {
  const { taskId, files } = props;
  const { api } = useSession();
  const { run, isBusy, fault } = useAction();
  if (files.length === 0) return null;
  const save = async (id: string): Promise<void> => {
    // URLs are valid for some minutes, so one is requested when needed; its response is a download.
    const { downloadUrl } = await api.call<V2OutputFileAddress>(
      'GET',
      `api/v2/files/tasks/${taskId}/output-files/${id}`,
    );
    location.assign(new URL(ownPath(downloadUrl, 2), document.baseURI));
  };
  return (
    <>
      <h3>Files</h3>
      <FaultNotice fault={fault} />
      <ul class="files">
        {files.map(({ id, fileName }) => (
          <li key={id}>
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Save ${fileName}`}
              onClick={() => void run(() => save(id))}
            >
              {fileName}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

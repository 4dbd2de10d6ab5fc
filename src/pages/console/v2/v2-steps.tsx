import type { JSX } from 'preact';
import type { ConsoleRun } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import type { V2Task } from '../api/types.ts';
import { usePoll } from '../api/hooks.ts';
import { lapses } from '../format.ts';
import { Loading } from '../parts/loading.tsx';
import { Timeline } from '../tasks/timeline.tsx';
import { OutputFiles } from './output-files.tsx';
import { pictureOf, stepHappening } from './step-happening.ts';

const everyMs = 2_000;

/** The steps of a V2 task with their pictures, and the files that it has made. */
export function V2Steps(props: {
  readonly taskId: string;
  readonly isWorking: boolean;
  /** undefined before it is known. */
  readonly seen: ConsoleRun | undefined;
}): JSX.Element {
  const { taskId, isWorking, seen } = props;
  const { api } = useSession();
  const path = `api/v2/tasks/${taskId}`;
  const read = (): Promise<V2Task> => api.call('GET', path);
  // The end of a task is a key of its own: what came last is read once more.
  const { value, fault } = usePoll(`${path} ${String(isWorking)}`, read, isWorking ? everyMs : null);
  const renewed = async (number: number): Promise<string | null> =>
    pictureOf((await read()).steps.find((step) => step.number === number));
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

import { useEffect, useRef } from 'preact/hooks';
import { noteChange } from './changes.ts';
import { useSession } from './session-context.ts';

/** Who does not see the badge change is told once that a task has ended. */
export function useSpokenEnd(status: string | undefined, isWorking: (status: string) => boolean): void {
  const { say } = useSession();
  const before = useRef(status);
  useEffect(() => {
    const worked = before.current !== undefined && isWorking(before.current);
    if (worked && status !== undefined && !isWorking(status)) {
      say(`The task has ended: ${status.replaceAll('_', ' ')}`);
      // The list beside it shows the end at the same time.
      noteChange();
    }
    before.current = status;
  }, [status, isWorking, say]);
}

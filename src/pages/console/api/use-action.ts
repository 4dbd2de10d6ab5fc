import { useState } from 'preact/hooks';

/** Something that a person starts and waits for. */
export interface Action {
  readonly isBusy: boolean;
  /** Why the last one failed, or null. */
  readonly fault: Error | null;
  /** Does it, unless it is being done already. */
  readonly run: (work: () => Promise<void>) => Promise<void>;
}

/** One action of a person at a time, with what became of it. */
export function useAction(): Action {
  const [state, setState] = useState<{ isBusy: boolean; fault: Error | null }>({ isBusy: false, fault: null });
  return {
    ...state,
    async run(work) {
      if (state.isBusy) return;
      setState({ isBusy: true, fault: null });
      try {
        await work();
        setState({ isBusy: false, fault: null });
      } catch (error) {
        setState({ isBusy: false, fault: error instanceof Error ? error : new Error(String(error)) });
      }
    },
  };
}

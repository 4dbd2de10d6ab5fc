import type { RunSettings } from './settings.ts';

/** Manages the provider stub of a run. */
export interface StubHolder {
  /** Starts the stub of the target file if tasks may be dispatched; has no effect otherwise. */
  open(settings: RunSettings): Promise<void>;
  close(): Promise<void>;
}

/** Creates a holder without an open stub. */
export function createStubHolder(): StubHolder {
  let open: { close(): Promise<void> } | undefined;
  return {
    open: async ({ target, openStub, spend }) => {
      // The target calls the stub for every task, so the stub is needed for every row that dispatches tasks.
      if (target.providerStub !== null && spend === 'task') open ??= await openStub(target.providerStub);
    },
    close: async () => {
      await open?.close();
      open = undefined;
    },
  };
}

import type { RunSettings } from './settings.ts';

/** Owns the provider stub of a run. */
export interface StubHolder {
  /** Starts the stub that the target file names, where tasks may be dispatched; without effect otherwise. */
  open(settings: RunSettings): Promise<void>;
  close(): Promise<void>;
}

/** A holder of nothing yet. */
export function createStubHolder(): StubHolder {
  let open: { close(): Promise<void> } | undefined;
  return {
    open: async ({ target, openStub, spend }) => {
      // A target that is named a stub calls it for every task, whichever row has sent it.
      if (target.providerStub !== null && spend === 'task') open ??= await openStub(target.providerStub);
    },
    close: async () => {
      await open?.close();
      open = undefined;
    },
  };
}

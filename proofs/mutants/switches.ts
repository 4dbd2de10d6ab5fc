/** The global object that instrumented code looks at; its members are given by the mutation tool. */
interface Switches {
  /** Number of the active mutant. */
  activeMutant?: string | undefined;
  /** Name under which reached mutants are counted; those before the first name are reached while modules load. */
  currentTestId?: string;
  readonly mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

declare global {
  // oxlint-disable-next-line no-var -- a global of the process is declared so
  var __stryker__: Switches | undefined;
}

/** The switches of this process. */
export function switches(): Switches {
  globalThis.__stryker__ ??= {};
  return globalThis.__stryker__;
}

/**
 * The broken variants of the server as data: one fault each, grouped by the violated sentence. The server imports only
 * the type of the ids; the runner of the proof reads the rows.
 */
import { authFaults } from './auth.ts';
import { combinationFaults } from './combinations.ts';
import { effectFaults } from './effects.ts';
import { jobFaults } from './jobs.ts';
import { memberFaults } from './members.ts';
import { momentFaults } from './moments.ts';
import { reasoningFaults } from './reasoning.ts';
import { resourceFaults } from './resources.ts';
import type { Breach } from './row.ts';
import { runFaults } from './runs.ts';
import { sessionStatementFaults } from './session-statements.ts';
import { sessionFaults } from './sessions.ts';
import { statementFaults } from './statements.ts';
import { thingFaults } from './things.ts';
import { unbiasedSessionFaults } from './unbiased-sessions.ts';
import { unbiasedOtherFaults } from './unbiased-others.ts';

const groups = [
  ...authFaults,
  ...memberFaults,
  ...reasoningFaults,
  ...sessionFaults,
  ...runFaults,
  ...thingFaults,
  ...momentFaults,
  ...combinationFaults,
  ...effectFaults,
  ...jobFaults,
  ...resourceFaults,
  ...statementFaults,
  ...sessionStatementFaults,
  ...unbiasedSessionFaults,
  ...unbiasedOtherFaults,
] as const;

type FaultKeys<T> = T extends { readonly faults: infer Faults } ? keyof Faults : never;

/** Id of a fault. */
export type FaultId = FaultKeys<(typeof groups)[number]>;

/** One fault that the independent server can have. */
export interface Fault extends Omit<Breach, 'faults'> {
  readonly id: FaultId;
  /** Sentence about what the broken server does. */
  readonly does: string;
}

/** All faults of the independent server. */
export const faults: readonly Fault[] = groups.flatMap(({ faults: named, ...breach }) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the groups are what FaultId is made of
  Object.entries(named).map(([id, does]) => ({ ...breach, id: id as FaultId, does })),
);

import type { JsonObject } from '../json.ts';

/** The three generations of the interface. */
export const generations = ['v2', 'v3', 'v4'] as const;

/** One generation of the interface. */
export type Generation = (typeof generations)[number];

/** An operation that the contract does not show. A `{...}` in the path stands for the id. */
export interface OperationTarget {
  method: string;
  path: string;
  /** Body that is sent with every call; none when absent. */
  body?: JsonObject;
}

/** A list operation: where the items stand in the answer. */
export interface ListTarget extends OperationTarget {
  /** Dotted path of the array in the response body. */
  items: string;
}

/** How a follow-up task is sent. */
export interface FollowUpTarget extends OperationTarget {
  /** Request member that carries the session id; null when the path carries it. */
  idMember: string | null;
}

/** V2 of a target. */
export interface TargetV2 {
  base: string;
  /** Dotted path of the new task's id in the creation response. */
  idIn: string;
  /** Ends a task that a refusal probe has made by mistake; null = such a task is left and reported. */
  stopTask: OperationTarget | null;
  /** Lists tasks; shows that a refusal has created nothing. */
  list: ListTarget | null;
}

/** Request members of V3 session creation whose names the contract does not show; null = not offered. */
export interface MembersV3 {
  maxCostUsd: string | null;
  proxyCountryCode: string | null;
  inbox: string | null;
  profileId: string | null;
  workspaceId: string | null;
}

/** V3 of a target. */
export interface TargetV3 {
  base: string;
  /** Dotted path of the new session's id in the creation response. */
  idIn: string;
  followUp: FollowUpTarget | null;
  stop: OperationTarget | null;
  list: ListTarget | null;
  delete: OperationTarget | null;
  /** Address of the published description of V3 (absolute, or below the service address); null = not published. */
  description: string | null;
  /** False when this target makes no recordings: nothing waits for one, and what needs one is not testable. */
  recordings: boolean;
  members: MembersV3;
  /** Ids of things that exist in the account, for the members that load them; null = there is none. */
  existing: { profileId: string | null; workspaceId: string | null };
}

/** V4 of a target. */
export interface TargetV4 {
  base: string;
  /** Ends a run that a refusal probe has made by mistake; null = such a run is left and reported. */
  cancelRun: OperationTarget | null;
  /** Request member of the cost ceiling; null = not offered. */
  maxCostUsd: string | null;
}

/** The goals that the suite sends; null = this target has none of the kind. */
export interface TargetTasks {
  succeed: string;
  fail: string | null;
  slow: string | null;
  /** Sent together with the lowest ceiling; `succeed` when null. */
  exceedCeiling: string | null;
  structured: string | null;
  code: string | null;
}

/** How a target is polled; all in milliseconds. */
export interface TargetPolling {
  intervalMs: number;
  /** Until a new session accepts or runs its task. */
  startDeadlineMs: number;
  /** Until a task has ended. */
  taskDeadlineMs: number;
  /** Until something that follows a task (recording, clean-up) is visible. */
  settleDeadlineMs: number;
}

/** Everything the suite has to know about a deployment beyond the contract. */
export interface Target {
  /** Service address without the generation's prefix. */
  url: string;
  keyHeader: string;
  /** True for a mock that answers from documents: nothing that needs state is judged there. */
  stateless: boolean;
  v2: TargetV2 | null;
  v3: TargetV3 | null;
  v4: TargetV4 | null;
  tasks: TargetTasks;
  /** Providers for which the account has stored keys (words of generated/rules.ts, for example `google`). */
  ownKeys: string[];
  /** Control address (`POST {control}/clock`), or null. */
  control: string | null;
  polling: TargetPolling;
  limits: {
    /** Lowest cost ceiling that the target takes, as decimal string. */
    ceilingUsd: string;
    /** Inactivity period of an idle session in ms; null = unknown. */
    inactivityMs: number | null;
    /** Sessions that the suite keeps alive at once; at least 1. */
    sessionsAtOnce: number;
  };
}

/** The generations that a target offers, in order. */
export function offeredGenerations(target: Target): Generation[] {
  return generations.filter((generation) => target[generation] !== null);
}

import type { JsonObject } from './json.ts';

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

/** Meaning of the status words of tasks or runs. A check that needs a word of no list is not testable. */
export interface TargetStates {
  /** It waits or works. */
  pending: string[];
  /** It has ended with an outcome. */
  completed: string[];
  /** It has ended without one: failed, stopped, cancelled. */
  ended: string[];
}

/** How the events of a run are read. */
export interface EventsTarget extends OperationTarget {
  /** Dotted path of the array in the response body. */
  items: string;
  /** Query member that continues behind what was read; null = every read starts from the beginning. */
  cursor: string | null;
  /** Dotted path of the next cursor in the response body; null = the id of the last event is the cursor. */
  nextCursor: string | null;
  /** Dotted path of an event's id in the item; null = events carry none. */
  id: string | null;
}

/** V2 of a target. */
export interface TargetV2 {
  base: string;
  /** Dotted path of the new task's id in the creation response. */
  idIn: string;
  /** Fetches a task; null = not offered. */
  getTask: OperationTarget | null;
  /** Fetches the status of a task; null = `getTask` shows it. */
  taskStatus: OperationTarget | null;
  /** Dotted path of the status in the answers of both. */
  statusIn: string;
  states: TargetStates;
  /** Dotted path of the task's output in the answer of `getTask`; null = not shown. */
  output: string | null;
  /** Dotted path of the task's cost so far, a decimal string in US dollars; null = not shown. */
  cost: string | null;
  /** Ends a task; null = not offered, and a task that a refusal probe has made by mistake is left and reported. */
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
  /** Ids of existing resources of the account, for members that load them; null if the account has no such resource. */
  existing: { profileId: string | null; workspaceId: string | null };
}

/** Standalone browsers of a target. The contract shows how one is created and stopped; the rest is said here. */
export interface TargetBrowsers {
  /** Fetches one browser; null = not offered. */
  get: OperationTarget | null;
  /** Lists browsers; null = not offered. */
  list: ListTarget | null;
  /** Dotted path of the state in a browser record; null = records show none. */
  statusIn: string | null;
  /** Words of the state of a browser that has ended. */
  ended: string[];
  /** Dotted paths of the parts of a browser's cost in its record, decimal strings in US dollars; empty = not shown. */
  costs: string[];
  /** Whether there is a real browser behind an address that is handed out; false for a target that simulates them. */
  drivable: boolean;
}

/** V4 of a target. */
export interface TargetV4 {
  base: string;
  /** Fetches a run; null = not offered. */
  getRun: OperationTarget | null;
  /** Fetches the status of a run; null = `getRun` shows it. */
  runStatus: OperationTarget | null;
  /** Dotted path of the status in the answers of both. */
  statusIn: string;
  states: TargetStates;
  /** Dotted path of the run's result in the answer of `getRun`. */
  result: string;
  /** Dotted path of the run's cost so far, a decimal string in US dollars; null = not shown. */
  cost: string | null;
  /** Reads the events of a run; null = not offered. */
  events: EventsTarget | null;
  /** Ends a run; null = not offered, and a run that a refusal probe has made by mistake is left and reported. */
  cancelRun: OperationTarget | null;
  /** Lists runs; null = not offered. */
  listRuns: ListTarget | null;
  /** Request member of the cost ceiling; null = not offered. */
  maxCostUsd: string | null;
  /** Standalone browsers; null = not offered. */
  browsers: TargetBrowsers | null;
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
  /** Reads a file of the session or run and answers what it says; `{file}` stands for its name. */
  readFile: string | null;
  /** Writes a text to a file; `{text}` and `{file}` stand for them. */
  writeFile: string | null;
}

/** URLs of third parties that report the caller's address. Browsers of the target open them; the suite never does. */
export interface TargetCheckers {
  /** URL that returns the country of its caller; null without one. */
  country: string | null;
  /** Dotted path of the two-letter code in its JSON answer; null = the answer is the code alone. */
  countryIn: string | null;
  /** Dotted path of the caller's address in its JSON answer; null = it shows none. */
  addressIn: string | null;
}

/** The provider stub of a run: the operator has the target's model providers answered there. */
export interface TargetProviderStub {
  /** `host:port` that the suite listens on while it runs. */
  listen: string;
  /** Goal of the tasks that are to reach a provider; `{mark}` stands for the word by which their requests are known. */
  task: string;
  /** Cost ceiling of such a task, decimal string. The answers of the stub cost nothing. */
  ceilingUsd: string;
  /** Tool that the stub calls where it is offered; null = it answers with a text, which ends most tasks. */
  reply: { tool: string; input: JsonObject } | null;
  /** Last characters of the keys that the account has stored, by provider: at least four, and of no other key. */
  ownKeyEndings: Record<string, string>;
  /** What the target's names for models stand for, where they are not the providers' own. */
  models: Record<string, string>;
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

/**
 * Operations that stand elsewhere than the documents say, by their id in each generation; null = not offered. What is not
 * named stands where the documents say.
 */
export type TargetOperations = Record<Generation, Record<string, OperationTarget | null>>;

/** What things cost, decimal strings in US dollars; null = unknown. Used for estimates and to keep to a cost limit. */
export interface TargetPrices {
  /** What one task typically costs. Its ceiling bounds it where one can be sent; a V2 task takes none. */
  taskV2: string | null;
  taskV3: string | null;
  taskV4: string | null;
  /** One hour of a browser without an agent. */
  browserHour: string | null;
  /** One gigabyte through the proxy of such a browser. */
  proxyGigabyte: string | null;
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
  /** The operations of the whole interface; null = only those that the other members of this file name are offered. */
  operations: TargetOperations | null;
  tasks: TargetTasks;
  /** Providers for which the account has stored keys (words of generated/rules.ts, for example `google`). */
  ownKeys: string[];
  /** Control address (`POST {control}/clock`, `POST {control}/faults`), or null. */
  control: string | null;
  /** null = the target's providers are its own, and what reaches them is not seen. */
  providerStub: TargetProviderStub | null;
  checkers: TargetCheckers;
  polling: TargetPolling;
  prices: TargetPrices;
  limits: {
    /** Cost ceiling that every task carries, as decimal string: the lowest that the target takes and its goals fit into. */
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

/** Whether the address of a target is this machine: it needs no rate limit, and nothing there is charged. */
export function isLocalTarget({ url }: { url: string }): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

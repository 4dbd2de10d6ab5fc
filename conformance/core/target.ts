import type { JsonObject } from './json.ts';

/** The three generations of the API. */
export const generations = ['v2', 'v3', 'v4'] as const;

/** One generation of the API. */
export type Generation = (typeof generations)[number];

/** An operation that the contract does not show. A `{...}` in the path is replaced by the id. */
export interface OperationTarget {
  method: string;
  path: string;
  /** Body of every call; no body if absent. */
  body?: JsonObject;
}

/** A list operation, and the dotted path of the items in its response. */
export interface ListTarget extends OperationTarget {
  /** Dotted path of the array of items in the response body. */
  items: string;
}

/** The operation that sends a follow-up task. */
export interface FollowUpTarget extends OperationTarget {
  /** Request member that carries the session id; null when the path carries it. */
  idMember: string | null;
}

/** Meaning of the status values of tasks or runs. A check that receives an unlisted value is not testable. */
export interface TargetStates {
  /** Status values of a job that waits or runs. */
  pending: string[];
  /** Status values of a job that has ended with an outcome. */
  completed: string[];
  /** Status values of a job that has ended without an outcome: failed, stopped, cancelled. */
  ended: string[];
}

/** The operation that reads the events of a run. */
export interface EventsTarget extends OperationTarget {
  /** Dotted path of the array of events in the response body. */
  items: string;
  /** Query member for the cursor; null = every read starts at the beginning. */
  cursor: string | null;
  /** Dotted path of the next cursor in the response body; null = the id of the last event is the cursor. */
  nextCursor: string | null;
  /** Dotted path of an event's id in the item; null = events carry none. */
  id: string | null;
}

/** Target file members for V2. */
export interface TargetV2 {
  base: string;
  /** Dotted path of the new task's id in the creation response. */
  idIn: string;
  /** Operation that fetches a task; null = not offered. */
  getTask: OperationTarget | null;
  /** Operation that fetches the status of a task; null = `getTask` shows it. */
  taskStatus: OperationTarget | null;
  /** Dotted path of the status in the responses of `getTask` and `taskStatus`. */
  statusIn: string;
  states: TargetStates;
  /** Dotted path of the task's output in the response of `getTask`; null = not shown. */
  output: string | null;
  /** Dotted path of the task's cost so far, a decimal string in US dollars; null = not shown. */
  cost: string | null;
  /**
   * Operation that ends a task; null = not offered. Without this operation, a task that the target creates instead of a
   * refusal is left running and reported.
   */
  stopTask: OperationTarget | null;
  /** Operation that lists tasks, to check that a refused request has created no task; null = not offered. */
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

/** Target file members for V3. */
export interface TargetV3 {
  base: string;
  /** Dotted path of the new session's id in the creation response. */
  idIn: string;
  followUp: FollowUpTarget | null;
  stop: OperationTarget | null;
  list: ListTarget | null;
  delete: OperationTarget | null;
  /** URL of the published description of V3 (absolute, or below the service URL); null = not published. */
  description: string | null;
  /**
   * False if this target makes no recordings: checks do not wait for recordings, and checks that need a recording are
   * not testable.
   */
  recordings: boolean;
  /**
   * Models for which this target has neither a provider key nor a route; the contract offers them only with a key or a
   * route. The target must refuse a session with such a model. Empty = unknown.
   */
  unrouted: string[];
  members: MembersV3;
  /**
   * Ids of existing resources of the account, sent as values of the request members `profileId` and `workspaceId`; null
   * if the account has no such resource.
   */
  existing: { profileId: string | null; workspaceId: string | null };
}

/**
 * Standalone browsers of a target. The contract shows how they are created and stopped; the target file describes their
 * other operations and their records.
 */
export interface TargetBrowsers {
  /** Operation that fetches one browser; null = not offered. */
  get: OperationTarget | null;
  /** Operation that lists browsers; null = not offered. */
  list: ListTarget | null;
  /** Dotted path of the state in a browser record; null = not shown. */
  statusIn: string | null;
  /** Status values of a browser that has ended. */
  ended: string[];
  /**
   * Dotted paths of the costs in a browser record, whose sum is the cost of the browser. Each is a decimal string in US
   * dollars; empty = not shown.
   */
  costs: string[];
  /** True if a real browser answers at the returned URL; false for a target that simulates browsers. */
  drivable: boolean;
}

/** Target file members for V4. */
export interface TargetV4 {
  base: string;
  /** Operation that fetches a run; null = not offered. */
  getRun: OperationTarget | null;
  /** Operation that fetches the status of a run; null = `getRun` shows it. */
  runStatus: OperationTarget | null;
  /** Dotted path of the status in the responses of `getRun` and `runStatus`. */
  statusIn: string;
  states: TargetStates;
  /** Dotted path of the run's result in the response of `getRun`. */
  result: string;
  /** Dotted path of the run's cost so far, a decimal string in US dollars; null = not shown. */
  cost: string | null;
  /** Operation that reads the events of a run; null = not offered. */
  events: EventsTarget | null;
  /**
   * Operation that ends a run; null = not offered. Without this operation, a run that the target creates instead of a
   * refusal is left running and reported.
   */
  cancelRun: OperationTarget | null;
  /** Operation that lists runs; null = not offered. */
  listRuns: ListTarget | null;
  /** Request member of the cost ceiling; null = not offered. */
  maxCostUsd: string | null;
  /** Standalone browsers; null = not offered. */
  browsers: TargetBrowsers | null;
}

/** Task texts that the suite sends. A member is null if the target can run no such task. */
export interface TargetTasks {
  succeed: string;
  fail: string | null;
  slow: string | null;
  /**
   * Instruction of the task that must exceed `limits.ceilingUsd`. `succeed` is sent instead if this member is null or
   * has its default, or if V3 sessions accept no ceiling.
   */
  exceedCeiling: string | null;
  structured: string | null;
  code: string | null;
  /**
   * Instruction to read a file of the session or run and to return its text; the name of the file replaces `{file}`.
   */
  readFile: string | null;
  /** Instruction to write a text to a file; the text replaces `{text}`, and the name of the file replaces `{file}`. */
  writeFile: string | null;
  /**
   * Instruction to open a page and to return the two-letter country code that it shows; `checkers.country` replaces
   * `{url}`.
   */
  country: string | null;
}

/**
 * URLs of third parties that report the IP address of their client. Browsers of the target open these URLs; the suite
 * never does.
 */
export interface TargetCheckers {
  /** URL that returns the country of its client; null = no such URL is known. */
  country: string | null;
  /** Dotted path of the two-letter country code in the JSON response; null = the response is only the code. */
  countryIn: string | null;
  /** Dotted path of the client's IP address in the JSON response; null = not shown. */
  addressIn: string | null;
}

/** The provider stub of a run: the operator directs the target's provider requests to it. */
export interface TargetProviderStub {
  /** `host:port` on which the suite listens during the run. */
  listen: string;
  /**
   * Instruction of the tasks that must reach a provider; `{mark}` is replaced by the mark that identifies their
   * requests.
   */
  task: string;
  /**
   * Cost ceiling of a task that must reach a provider, decimal string in US dollars. Responses of the stub cost
   * nothing.
   */
  ceilingUsd: string;
  /** Tool that the stub calls if the request offers it; null = it responds with text, which ends most tasks. */
  reply: { tool: string; input: JsonObject } | null;
  /** Last characters of the account's stored keys by provider: at least four, and unique to the key. */
  ownKeyEndings: Record<string, string>;
  /**
   * For each model name that the target sends to its providers: the model name in the contract's tables, if the two
   * differ.
   */
  models: Record<string, string>;
}

/** Polling intervals and deadlines of a target, all in milliseconds. */
export interface TargetPolling {
  intervalMs: number;
  /** Deadline for a session to accept or start a task, and for a new browser to answer its first client. */
  startDeadlineMs: number;
  /** Deadline for the end of a task. */
  taskDeadlineMs: number;
  /**
   * Deadline for the effects of a task or a stop (recording, refund, end) to become visible; a later effect is a
   * violation.
   */
  settleDeadlineMs: number;
}

/**
 * Operations whose method or path differs from the documents, by generation and operation id; null = not offered. All
 * other operations are as documented.
 */
export type TargetOperations = Record<Generation, Record<string, OperationTarget | null>>;

/** Prices as decimal strings in US dollars; null = unknown. Used for estimates and for the cost limit. */
export interface TargetPrices {
  /**
   * Typical cost of one V2 task. For null, the suite assumes `limits.ceilingUsd`, because V2 tasks have no ceiling.
   * `taskV3` and `taskV4` are the typical costs of a V3 and a V4 task.
   */
  taskV2: string | null;
  taskV3: string | null;
  taskV4: string | null;
  /** Price of one hour of a browser without an agent. */
  browserHour: string | null;
  /** Price of one gigabyte through the proxy of a browser without an agent. */
  proxyGigabyte: string | null;
}

/** Facts about a deployment that the contract does not contain and that the suite needs. */
export interface Target {
  /** Service URL without the prefix of a generation. */
  url: string;
  keyHeader: string;
  /** Beginning of every API key of the service; null = unknown. */
  keyPrefix: string | null;
  /** True for a mock that responds from documents: checks that need state are not run. */
  stateless: boolean;
  v2: TargetV2 | null;
  v3: TargetV3 | null;
  v4: TargetV4 | null;
  /**
   * The operations of the complete API. Null = the target offers only the operations that other members of the target
   * file name.
   */
  operations: TargetOperations | null;
  tasks: TargetTasks;
  /** Providers for which the account has stored keys (words of generated/rules.ts, for example `google`). */
  ownKeys: string[];
  /** Control URL (`POST {control}/clock`, `POST {control}/faults`), or null. */
  control: string | null;
  /** The provider stub; null = the target uses its own providers, and their requests are not visible. */
  providerStub: TargetProviderStub | null;
  checkers: TargetCheckers;
  polling: TargetPolling;
  prices: TargetPrices;
  limits: {
    /**
     * Cost ceiling of every task, decimal string in US dollars: the lowest ceiling that the target accepts and that its
     * tasks do not exceed.
     */
    ceilingUsd: string;
    /** Inactivity timeout of an idle session in ms; null = unknown. */
    inactivityMs: number | null;
    /** Maximum number of concurrent sessions of the suite; at least 1. */
    sessionsAtOnce: number;
  };
}

/** Returns the absolute URL of a path below the base path of a generation; also for a generation that is not offered. */
export function generationUrl(target: Target, generation: Generation, path: string): string {
  const base = target[generation]?.base ?? `/api/${generation}`;
  return `${/^https?:/.test(base) ? base : target.url + base}${path}`;
}

/** Returns the generations that a target offers, in order. */
export function offeredGenerations(target: Target): Generation[] {
  return generations.filter((generation) => target[generation] !== null);
}

/**
 * Returns true if the URL of a target is on this machine: `localhost`, `[::1]` or `127.x.x.x`. By default the suite
 * limits no request rate there, and shows no costs.
 */
export function isLocalTarget({ url }: { url: string }): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/*
 * Messages between the console page and its service below /console/api, besides the documented operations. Both sides
 * import this file; it holds types and constants only. Times are ISO 8601 texts, money is micro-dollars.
 */

import type { RunState } from '#generated/states.ts';
import type { Worker } from './lifecycle.ts';

/** The state of a login. */
export interface ConsoleLogin {
  readonly project: ConsoleProject;
  /** Whether a login link created the login, which may then change credit and limits. */
  readonly isOperator: boolean;
  /** Whether the login may create, confirm and end scheduled tasks. */
  readonly maySchedule: boolean;
  readonly expiresAt: string;
  /** V4 models, the recommended model first. */
  readonly models: readonly string[];
  /** Country codes of the available proxy countries. */
  readonly countries: readonly string[];
  /** Providers for which a project can store its own key. */
  readonly providers: readonly string[];
  /** Whether the conformance suite can be started from the console. */
  readonly canExamine: boolean;
  /**
   * Whether the service has a model provider, or the project has stored a provider key. Otherwise, the offline planner
   * works on every task.
   */
  readonly hasModels: boolean;
  /** V3 models for scheduled tasks, the default model first. */
  readonly scheduleModels: readonly string[];
}

/** A login that was just created. */
export interface ConsoleNewLogin extends ConsoleLogin {
  /**
   * CSRF token, which the page sends with every request in the header `X-Service-Console`. Only this response contains
   * it.
   */
  readonly csrf: string;
}

/** The project of a login with its limits. */
export interface ConsoleProject {
  readonly id: string;
  readonly name: string;
  /** Credit in micro-dollars; null for no limit. */
  readonly creditMicros: number | null;
  readonly spentMicros: number;
  /** Maximum number of active sandboxes of the project; null applies the default of the service. */
  readonly sessionsMax: number | null;
  /** Maximum number of active sandboxes in effect: `sessionsMax`, else the default of the service. */
  readonly activeMax: number;
  readonly activeCount: number;
  readonly zeroDataRetention: boolean;
  /** IANA name of the time zone of new schedules. */
  readonly timeZone: string;
}

/** A project that an operator can switch to. */
export interface ConsoleProjectName {
  readonly id: string;
  readonly name: string;
}

/** Changes of a project by the operator; absent members stay as they are. */
export interface ConsoleGrant {
  readonly creditMicros?: number | null;
  readonly sessionsMax?: number | null;
  readonly zeroDataRetention?: boolean;
  readonly timeZone?: string;
}

/**
 * Outcomes of a task. `open`: the task has not ended. `missed`: the task ended normally without reaching its goal.
 * `crashed`: a fault ended the task.
 */
export const consoleOutcomes = ['open', 'achieved', 'missed', 'stopped', 'crashed'] as const;

/** One of {@link consoleOutcomes}. */
export type ConsoleOutcome = (typeof consoleOutcomes)[number];

/**
 * Outcome of a task for each state of its run. A stopped run has no verdict, so its outcome is `stopped` and not
 * `missed`.
 */
export const outcomeByState: Readonly<Record<RunState, ConsoleOutcome>> = {
  queued: 'open',
  dispatching: 'open',
  running: 'open',
  succeeded: 'achieved',
  failed: 'missed',
  cancelled: 'stopped',
  crashed: 'crashed',
};

/** A session of any API version in a list. */
export interface ConsoleSession {
  readonly id: string;
  /** The title, or a name derived from the latest task; null without a task. */
  readonly name: string | null;
  /** Status of the session, in the vocabulary of its API version. */
  readonly status: string;
  /** Outcome of the latest task; null without a task. */
  readonly outcome: ConsoleOutcome | null;
  /** Reason why the latest task missed its goal; null for every other outcome. */
  readonly reason: string | null;
  readonly createdAt: string;
  /** Start of the latest task; null without a task, and until it starts. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** The newest sessions that match a query; `hasMore` tells that older sessions match too. */
export interface ConsoleSessions {
  readonly sessions: readonly ConsoleSession[];
  readonly hasMore: boolean;
}

/** A workspace in a list. */
export interface ConsoleWorkspace {
  readonly id: string;
  readonly name: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A page of workspaces, the newest first. */
export interface ConsoleWorkspaces {
  readonly workspaces: readonly ConsoleWorkspace[];
  /** Number of matching workspaces on all pages. */
  readonly total: number;
}

/** Details of a run that the documented operations do not return. */
export interface ConsoleRun {
  readonly id: string;
  readonly outcome: ConsoleOutcome;
  /** Reason why the run missed its goal; null for every other outcome. */
  readonly reason: string | null;
  /** Worker that performed the run; null until it is known. */
  readonly answeredBy: Worker | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** Times at which the steps of the run ended, oldest first. */
  readonly stepsEndedAt: readonly string[];
  /** Cost of the run's model tokens, real or simulated. */
  readonly llmMicros: number;
  readonly browserMicros: number;
  readonly proxyMicros: number;
}

/** Details of a session that the documented operations do not return. */
export interface ConsoleSessionDetail {
  /** Runs of the session, oldest first. */
  readonly runs: readonly ConsoleRun[];
  /** Cost of the session, including the time that its browser waited between runs. */
  readonly totalMicros: number;
}

/** A screenshot of a run's browser at one step. */
export interface ConsolePicture {
  /** Id of the event that reports the step. */
  readonly eventId: number;
  /** Signed URL, new in each response, valid for some minutes. */
  readonly url: string;
}

/** Metadata of an API key; the key itself is not stored. */
export interface ConsoleKey {
  readonly id: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  /** Whether the key may create, confirm and end scheduled tasks. */
  readonly maySchedule: boolean;
  /** Maximum spend in a calendar month in micro-dollars; null for no maximum. */
  readonly monthlyMicros: number | null;
}

/** A new API key. Only this response contains the key itself. */
export interface ConsoleNewKey {
  readonly key: string;
  readonly issued: ConsoleKey;
}

/** A stored key of a model provider. */
export interface ConsoleProviderKey {
  readonly provider: string;
  readonly lastFour: string;
  readonly createdAt: string;
}

/** An integration that the project may use. */
export interface ConsoleIntegration {
  readonly name: string;
  readonly description: string;
  /** `stdio` for a server that runs as a process of the service, `http` for a server that is reached over HTTP. */
  readonly transport: 'stdio' | 'http';
  /** Secrets that the project has to store for the integration. */
  readonly secrets: readonly { readonly name: string; readonly isStored: boolean }[];
}

/** Result of the test of an integration. Secrets are removed from the texts of the server. */
export interface ConsoleIntegrationTest {
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** Why the tools could not be listed, or null. */
  readonly error: string | null;
  readonly tookMs: number;
}

/** States of a scheduled task. */
export const scheduleStatuses = ['proposed', 'active', 'ended'] as const;

/** A scheduled task. */
export interface ConsoleSchedule {
  readonly id: string;
  /** `proposed` until a person confirms the proposal of an agent, `active` while starts are planned, then `ended`. */
  readonly status: (typeof scheduleStatuses)[number];
  readonly task: string;
  /** Cron expression with five fields; null for a single time. */
  readonly cron: string | null;
  readonly timeZone: string;
  /** Time of the next start; null once the scheduled task has ended. */
  readonly nextAt: string | null;
  readonly model: string;
  /** Id of the session whose agent proposed the scheduled task, or null. */
  readonly proposedBy: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** Latest start, or null. */
  readonly latest: ConsoleScheduleStart | null;
}

/** A start of a scheduled task. Has either the session of the task, or the reason why no session was created. */
export interface ConsoleScheduleStart {
  /** Time at which the start was due. */
  readonly dueAt: string;
  readonly startedAt: string;
  readonly sessionId: string | null;
  readonly refusal: string | null;
}

/** A request for a scheduled task; it has either `cron` or `at`. */
export interface ConsoleWantedSchedule {
  readonly task: string;
  readonly cron?: string;
  /** Time of a single start in ISO 8601. A time without an offset is in the time zone of the project. */
  readonly at?: string;
  /** A V3 model. @defaultValue the default of V3 */
  readonly model?: string;
  readonly useOwnKey?: boolean;
  readonly workspaceId?: string | null;
  readonly profileId?: string | null;
  /** Cost limit of each session. @defaultValue none */
  readonly maxCostMicros?: number | null;
}

/** Number and costs of the sessions and browsers that began on one day (UTC). */
export interface ConsoleDay {
  /** Date such as 2026-11-22. */
  readonly day: string;
  readonly sessions: number;
  readonly browsers: number;
  /** Cost of model calls. */
  readonly llmMicros: number;
  /** Simulated cost of tokens, of test tasks and mocks. */
  readonly simulatedMicros: number;
  readonly browserMicros: number;
  readonly proxyMicros: number;
}

/** Token costs of all runs with the same worker and model. */
export interface ConsoleModelCost {
  readonly answeredBy: Worker;
  /** Name of the model; null when no model was called. */
  readonly model: string | null;
  readonly runs: number;
  readonly llmMicros: number;
}

/** Costs of a project in a period, by day and by model. */
export interface ConsoleCosts {
  /** Every day of the period, oldest first, including days without costs. */
  readonly days: readonly ConsoleDay[];
  /** Model costs, the most expensive model first. */
  readonly models: readonly ConsoleModelCost[];
}

/** Which resources a run of the conformance suite may create, in increasing order. */
export const examinationSpends = ['none', 'storage', 'browser', 'task'] as const;

/** Check profiles of a run of the conformance suite. */
export const examinationProfiles = ['smoke', 'documented', 'full'] as const;

/** A request to run the conformance suite. */
export interface ConsoleExaminationOrder {
  readonly spend: (typeof examinationSpends)[number];
  readonly profile: (typeof examinationProfiles)[number];
}

/** States of a run of the conformance suite. */
export const examinationState = { running: 'running', ended: 'ended', failed: 'failed' } as const;

/** A run of the conformance suite against this service. */
export interface ConsoleExamination {
  readonly state: keyof typeof examinationState;
  readonly order: ConsoleExaminationOrder;
  readonly startedAt: string;
  readonly judged: number;
  readonly planned: number;
  readonly requests: number;
  /** Violations in the report; null until the report exists. */
  readonly violations: number | null;
  readonly passed: number | null;
  /**
   * Path of the report below the URL of the console; null until the report exists. The path requires no login. It works
   * until the project starts its next run, or until the service no longer keeps the report.
   */
  readonly reportPath: string | null;
  /** Reason why the run has no report, or null. */
  readonly reason: string | null;
}

/*
 * What the console's page and its service say to each other below /console/api, besides the operations of the documents. Both sides read
 * this file; nothing here does anything. Times are ISO 8601 texts, money is micro-dollars.
 */

import type { Worker } from './lifecycle.ts';

/** Somebody who is logged in. */
export interface ConsoleLogin {
  readonly project: ConsoleProject;
  /** Whether the login was by a link, so that credit and limits may be changed. */
  readonly isOperator: boolean;
  readonly expiresAt: string;
  /** What a task can be given to, the recommended one first. */
  readonly models: readonly string[];
  /** Codes of the countries that a browser can leave from. */
  readonly countries: readonly string[];
  /** Providers whose keys can be stored. */
  readonly providers: readonly string[];
  /** Whether the suite can be run from here. */
  readonly canExamine: boolean;
  /** Whether a model can be asked, by the service's providers or a stored key; else the offline planner works on every task. */
  readonly hasModels: boolean;
}

/** A login that was just opened. */
export interface ConsoleNewLogin extends ConsoleLogin {
  /** Goes with every request, in the header `X-Service-Console`. The page keeps it: no other answer has it. */
  readonly csrf: string;
}

/** The project of a login, and what it may have. */
export interface ConsoleProject {
  readonly id: string;
  readonly name: string;
  /** null for no bound. */
  readonly creditMicros: number | null;
  readonly spentMicros: number;
  /** Living sandboxes that it may have; null for as many as the service gives everybody. */
  readonly sessionsMax: number | null;
  /** The bound that holds. */
  readonly activeMax: number;
  readonly activeCount: number;
  readonly zeroDataRetention: boolean;
}

/** A project that an operator can switch to. */
export interface ConsoleProjectName {
  readonly id: string;
  readonly name: string;
}

/** What the operator changes of a project; what is absent stays. */
export interface ConsoleGrant {
  readonly creditMicros?: number | null;
  readonly sessionsMax?: number | null;
  readonly zeroDataRetention?: boolean;
}

/** How a task ended; `open` until then. `missed` ended by itself without its goal, `crashed` by a fault. */
export const consoleOutcomes = ['open', 'achieved', 'missed', 'stopped', 'crashed'] as const;

/** One of {@link consoleOutcomes}. */
export type ConsoleOutcome = (typeof consoleOutcomes)[number];

/** A session of any generation in a list. */
export interface ConsoleSession {
  readonly id: string;
  /** Its title, or one made of its latest task; null without a task. */
  readonly name: string | null;
  /** In the words of its generation. */
  readonly status: string;
  /** Of its latest task; null without one. */
  readonly outcome: ConsoleOutcome | null;
  /** Why the latest task missed its goal. */
  readonly reason: string | null;
  readonly createdAt: string;
  /** Of its latest task. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** The newest sessions that were asked for. */
export interface ConsoleSessions {
  readonly sessions: readonly ConsoleSession[];
  readonly hasMore: boolean;
}

/** What the documents do not tell of a run. */
export interface ConsoleRun {
  readonly id: string;
  readonly outcome: ConsoleOutcome;
  /** Why it missed its goal. */
  readonly reason: string | null;
  /** null before it is known. */
  readonly answeredBy: Worker | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** The end of each of its steps. */
  readonly stepsEndedAt: readonly string[];
  /** Cost of the tokens of the model, or of its simulation. */
  readonly llmMicros: number;
  readonly browserMicros: number;
  readonly proxyMicros: number;
}

/** What the documents do not tell of a session. */
export interface ConsoleSessionDetail {
  /** Oldest first. */
  readonly runs: readonly ConsoleRun[];
  /** Cost of the session, with the time that its browser waited between runs. */
  readonly totalMicros: number;
}

/** What the browser of a run showed at a step. */
export interface ConsolePicture {
  /** Of the event that tells of the step. */
  readonly eventId: number;
  /** Signed anew with each answer, for some minutes. */
  readonly url: string;
}

/** A key of the project; the key itself is nowhere. */
export interface ConsoleKey {
  readonly id: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

/** A key that was just made: the only time that it can be read. */
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

/** What was spent on one day, from midnight to midnight UTC. */
export interface ConsoleDay {
  /** Such as 2026-11-22. */
  readonly day: string;
  readonly sessions: number;
  readonly browsers: number;
  /** Calls of models. */
  readonly llmMicros: number;
  /** Simulated tokens, of test tasks and mocks. */
  readonly simulatedMicros: number;
  readonly browserMicros: number;
  readonly proxyMicros: number;
}

/** What a model's runs have cost in tokens. */
export interface ConsoleModelCost {
  readonly answeredBy: Worker;
  /** null unless a model has answered. */
  readonly model: string | null;
  readonly runs: number;
  readonly llmMicros: number;
}

/** Costs over time. */
export interface ConsoleCosts {
  /** Every day of the time, the oldest first, also those without anything. */
  readonly days: readonly ConsoleDay[];
  /** The dearest first. */
  readonly models: readonly ConsoleModelCost[];
}

/** What a run of the suite may spend. */
export const examinationSpends = ['none', 'storage', 'browser', 'task'] as const;

/** What a run of the suite judges. */
export const examinationProfiles = ['smoke', 'documented', 'full'] as const;

/** What a run of the suite is asked to do. */
export interface ConsoleExaminationOrder {
  readonly spend: (typeof examinationSpends)[number];
  readonly profile: (typeof examinationProfiles)[number];
}

/** A run of the suite against this service. */
export interface ConsoleExamination {
  readonly state: 'running' | 'ended' | 'failed';
  readonly order: ConsoleExaminationOrder;
  readonly startedAt: string;
  readonly judged: number;
  readonly planned: number;
  readonly requests: number;
  /** Of the report, when there is one. */
  readonly violations: number | null;
  readonly passed: number | null;
  /** Where the page finds its report, below the console's own address; null before there is one. Opens it without a login, until the next run. */
  readonly reportPath: string | null;
  /** Why there is no report, or null. */
  readonly reason: string | null;
}

/**
 * State of an independent server, called its world: projects with their records, the clock, the active faults and the
 * dialect. Everything is in memory.
 */
import type { FaultId } from '../faults/index.ts';
import type { Dialect } from './dialect.ts';
import type { Level } from './tables.ts';

/** An object of JSON. */
export type Json = Record<string, unknown>;

/** The active faults of a server, and which of these faults were reached. */
export class Faults {
  readonly active: ReadonlySet<FaultId>;
  /** Faults whose code was executed during the life of the server. */
  readonly reached = new Set<FaultId>();

  constructor(active: Iterable<FaultId> = []) {
    this.active = new Set(active);
  }

  /** Returns whether a fault is active, and records an active fault as reached. */
  has(id: FaultId): boolean {
    if (!this.active.has(id)) return false;
    this.reached.add(id);
    return true;
  }

  /** Returns the entries of a table that belong to active faults. */
  entries<T>(table: Partial<Record<FaultId, T>>): (readonly [FaultId, T])[] {
    const found: (readonly [FaultId, T])[] = [];
    for (const id of this.active) {
      const entry = table[id];
      if (entry !== undefined) found.push([id, entry]);
    }
    return found;
  }

  /**
   * Returns whether the entry of an active fault in a table accepts a value, and records the first fault whose entry
   * does as reached.
   */
  some<T>(table: Partial<Record<FaultId, (value: T) => boolean>>, value: T): boolean {
    return this.entries(table).some(([id, test]) => test(value) && this.has(id));
  }

  /** Calls the entries of all active faults in a table with a value, and records these faults as reached. */
  distort<T>(table: Partial<Record<FaultId, (value: T) => void>>, value: T): void {
    for (const [id, change] of this.entries(table)) {
      this.reached.add(id);
      change(value);
    }
  }
}

/** Resource usage of a V2 task, a V3 session or a V4 run. */
export interface Meters {
  inputTokens: number;
  outputTokens: number;
  proxyKilobytes: number;
  browserMs: number;
  /** Extra model cost of tasks that spend without end, in millionths of a dollar. */
  extra: number;
}

/** Handle of a task in progress; `stop` ends the task. */
export interface Work {
  readonly stop: () => void;
}

/** A V3 session. */
export interface Session {
  readonly id: string;
  readonly createdAt: number;
  updatedAt: number;
  activeAt: number;
  status: 'created' | 'idle' | 'running' | 'stopped' | 'timed_out' | 'error';
  readonly askedModel: string;
  readonly model: string;
  level: Level | null;
  readonly ownKey: boolean;
  keepAlive: boolean;
  codeMode: boolean;
  outputSchema: Json | null;
  recording: boolean;
  recordingUrls: string[];
  task: string | null;
  title: string | null;
  output: unknown;
  stepCount: number;
  lastStepSummary: string | null;
  successful: boolean | null;
  profileId: string | null;
  workspaceId: string | null;
  country: string | null;
  ceiling: number | null;
  readonly inbox: string | null;
  readonly meters: Meters;
  messages: Json[];
  work: Work | null;
  /** Number of tasks so far. */
  tasks: number;
  /** Number of responses with the session, counted only by the fault `view3-tokens-swing`. */
  looks: number;
}

/** A V4 run. */
export interface Run {
  readonly id: string;
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly createdAt: number;
  updatedAt: number;
  status: 'queued' | 'dispatching' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly model: string;
  readonly modelParams: Json | null;
  readonly task: string;
  title: string | null;
  result: string | null;
  error: string | null;
  outputSchema: Json | null;
  output: unknown;
  judgement: Json | null;
  readonly attachedFileIds: string[];
  readonly meters: Meters;
  readonly ceiling: number | null;
  readonly events: Json[];
  readonly country: string | null;
  work: Work | null;
}

/** A V4 session, to which several runs belong. */
export interface Conversation {
  readonly id: string;
  readonly workspaceId: string;
  title: string | null;
  readonly createdAt: number;
  runIds: string[];
  queue: Json[];
  profileId: string | null;
}

/** A V2 task. */
export interface Task {
  readonly id: string;
  readonly sessionId: string;
  readonly createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  status: 'created' | 'started' | 'finished' | 'failed' | 'stopped';
  readonly llm: string;
  readonly level: Level | null;
  readonly task: string;
  readonly metadata: Json;
  readonly steps: Json[];
  output: string | null;
  successful: boolean | null;
  readonly meters: Meters;
  readonly outputFiles: Json[];
  readonly judged: boolean;
  work: Work | null;
}

/** A V2 session. */
export interface Session2 {
  readonly id: string;
  status: 'active' | 'stopped';
  readonly startedAt: number;
  finishedAt: number | null;
  readonly keepAlive: boolean;
  readonly persistMemory: boolean;
  readonly oneOff: boolean;
  share: Json | null;
}

/** A standalone browser. */
export interface Browser {
  readonly id: string;
  readonly startedAt: number;
  finishedAt: number | null;
  status: 'active' | 'stopped';
  readonly minutes: number;
  readonly country: string | null;
  readonly profileId: string | null;
  readonly recording: boolean;
  readonly metadata: Json;
  /** Prepaid or settled cost of the browser, in millionths of a dollar. */
  cost: number;
  readonly proxyKilobytes: number;
}

/** A named record: a profile or a workspace. */
export interface Named {
  readonly id: string;
  name: string | null;
  userId: string | null;
  readonly createdAt: number;
  updatedAt: number;
  archived: boolean;
  lastUsedAt: number | null;
  readonly files: Map<string, StoredFile>;
}

/** A file of a workspace. */
export interface StoredFile {
  readonly id: string;
  readonly path: string;
  readonly contentType: string;
  size: number;
  readonly at: number;
  bytes: Buffer | null;
}

/** One customer of the server. */
export interface Project {
  readonly id: string;
  readonly key: string;
  /** Providers for which the customer stored a key. */
  readonly ownKeys: ReadonlySet<string>;
  readonly sessions: Map<string, Session>;
  readonly runs: Map<string, Run>;
  readonly conversations: Map<string, Conversation>;
  readonly tasks: Map<string, Task>;
  readonly sessions2: Map<string, Session2>;
  readonly browsers: Map<string, Browser>;
  readonly profiles: Map<string, Named>;
  readonly workspaces: Map<string, Named>;
}

/** Complete state of one server. */
export interface World {
  readonly faults: Faults;
  readonly dialect: Dialect;
  readonly projects: Project[];
  /** URL of the server, set when the server listens. */
  url: string;
  /** Offset of the server's clock, set through the control URL. */
  clockOffsetMs: number;
  /** Whether sandboxes fail to start. */
  sandboxFails: boolean;
  /** A counter for values that must differ. */
  serial: number;
  readonly timers: Set<NodeJS.Timeout>;
}

/** Returns the time of the server in milliseconds. */
export function now(world: World): number {
  return Date.now() + world.clockOffsetMs;
}

/** Returns a number that no earlier call returned. */
export function nextSerial(world: World): number {
  world.serial += 1;
  return world.serial;
}

/** Calls a function after a delay, unless the server is closed before. The returned function cancels the call. */
export function later(world: World, delayMs: number, run: () => void): () => void {
  const timer = setTimeout(() => {
    world.timers.delete(timer);
    run();
  }, delayMs);
  world.timers.add(timer);
  return () => {
    clearTimeout(timer);
    world.timers.delete(timer);
  };
}

/** Returns meters at zero. */
export function noMeters(): Meters {
  return { inputTokens: 0, outputTokens: 0, proxyKilobytes: 0, browserMs: 0, extra: 0 };
}

/** Returns the costs of used resources and their sum, in millionths of a dollar. */
export function bill(meters: Meters): { llm: number; proxy: number; browser: number; total: number } {
  const llm = meters.inputTokens * 2 + meters.outputTokens * 8 + meters.extra;
  const proxy = meters.proxyKilobytes * 5;
  const browser = Math.ceil(meters.browserMs / 100);
  return { llm, proxy, browser, total: llm + proxy + browser };
}

/** Returns an empty project. */
export function makeProject(id: string, key: string, ownKeys: readonly string[]): Project {
  return {
    id,
    key,
    ownKeys: new Set(ownKeys),
    sessions: new Map(),
    runs: new Map(),
    conversations: new Map(),
    tasks: new Map(),
    sessions2: new Map(),
    browsers: new Map(),
    profiles: new Map(),
    workspaces: new Map(),
  };
}

import type { Insertable } from 'kysely';
import { hideInTask, type Secret } from '#agent/redaction/index.ts';
import type { CustomProxy } from '#browsers/index.ts';
import { liveStates } from '#contract/lifecycle.ts';
import type { Screen } from '#contract/screen.ts';
import type { JsonObject } from '#lib/json.ts';
import { attach } from '#store/queries/attachments.ts';
import { insertSession, sessionById } from '#store/queries/sessions.ts';
import {
  flag,
  type RunTable,
  type Scope,
  type SessionRow,
  type SessionTable,
  type WorkspaceTable,
} from '#store/schema.ts';
import type { EngineState } from './parts.ts';
import { type RunSettings, sealProxy, sealSecrets } from './run-settings.ts';
import { startSandbox } from './start-sandbox.ts';

/** What a new session is made of; every value has been validated. */
export interface NewSession {
  /** The first task, or null for a session that waits. */
  readonly task: string | null;
  readonly model: string;
  /** V4 modelParams; null when the request gave none, {} for the provider's own defaults. */
  readonly modelParams: JsonObject | null;
  /** What the first task keeps for itself; @defaultValue nothing */
  readonly runSettings?: RunSettings;
  /** What the first task may type; @defaultValue nothing */
  readonly secrets?: readonly Secret[];
  readonly thinkingLevel: string | null;
  readonly keepAlive: boolean;
  readonly codeMode: boolean;
  readonly outputSchema: JsonObject | null;
  readonly enableRecording: boolean;
  readonly useOwnKey: boolean;
  readonly profileId: string | null;
  readonly workspaceId: string | null;
  /** Whether a workspace is made for it when it names none; @defaultValue false */
  readonly opensWorkspace?: boolean;
  /** Uploads that belong to the first task; @defaultValue none */
  readonly attachedFileIds?: readonly string[];
  readonly proxyCountryCode: string | null;
  /** Takes the place of the managed proxy in every browser of the session. @defaultValue none */
  readonly customProxy?: CustomProxy | null;
  /** The same for browsers that the first task starts, and never stored. @defaultValue none */
  readonly runProxy?: CustomProxy | null;
  /** Ceiling of the session in micro-dollars, or null. */
  readonly maxCostMicros: number | null;
  /** Ceiling of the first run alone in micro-dollars, or null. */
  readonly runCostMicros?: number | null;
  readonly inbox: boolean;
  readonly screen: Screen | null;
  /** Page that the first tab opens, or null. */
  readonly startUrl: string | null;
  readonly persistMemory: boolean;
  /** Whether it outlives its browser and its failures, so that further runs can follow at any time. */
  readonly resumable: boolean;
}

/** A session was made, with its first task if there is one, or the project has as many as it may have and nothing was written. */
export type Created =
  | {
      readonly session: SessionRow;
      readonly runId: string | null;
      /** The uploads that were asked for and could not be attached. */
      readonly missingFileIds: readonly string[];
    }
  | { readonly tooMany: { active: number; limit: number } }
  /** Somebody else uses its profile. */
  | { readonly profileHolder: string };

/** Writes the session and its first task; when this resolves both are durable, and the sandbox starts in the background. */
export async function createSession(engine: EngineState, scope: Scope, wanted: NewSession): Promise<Created> {
  const workspace = opensItsOwn(wanted) ? workspaceRow(engine, scope) : null;
  const workspaceId = wanted.workspaceId ?? workspace?.id ?? null;
  const session = { ...sessionRow(engine, scope, { ...wanted, workspaceId }), ...(await engine.owners.next()) };
  const run = wanted.task === null ? null : runRow(engine, session, { ...wanted, task: wanted.task });
  const living = liveStates(engine.rules.lifecycle, 'session');
  const { attachedFileIds: fileIds = [] } = wanted;
  // Only so that whoever can do without it gives it back: the transaction decides.
  await engine.browserProfiles.otherHolder(session.id, session.profile_id);
  const result = await insertSession(engine.db, {
    session,
    run,
    living,
    activeMax: await engine.activeMax.of(scope.projectId),
    workspace,
    alsoMore: fileIds.length > 0,
    also: async (trx) =>
      run === null
        ? []
        : attach(trx, {
            workspaceId: session.workspace_id ?? null,
            fileIds,
            to: { runId: run.id },
          }),
  });
  if (!result.created)
    return 'profileHolder' in result ? result : { tooMany: { active: result.active, limit: result.limit } };
  await begin(engine, session.id, wanted.runProxy);
  const written = await sessionById(engine.db, session.id);
  return { session: written, runId: run?.id ?? null, missingFileIds: result.also };
}

function opensItsOwn({ opensWorkspace = false, workspaceId }: NewSession): boolean {
  return opensWorkspace && workspaceId === null;
}

/** Has its sandbox started by its owner. */
function begin(engine: EngineState, sessionId: string, runProxy: CustomProxy | null = null): Promise<void> {
  return engine.owners.tell({ op: 'start', sessionId, runProxy }, () => {
    if (runProxy !== null) engine.sandboxes.ensure(sessionId).runProxy = runProxy;
    engine.inBackground(`start ${sessionId}`, () => startSandbox(engine, sessionId));
  });
}

function workspaceRow(engine: EngineState, { projectId }: Scope): Insertable<WorkspaceTable> & { readonly id: string } {
  const now = engine.clock.now();
  return { id: engine.newId(), project_id: projectId, created_at: now, updated_at: now };
}

function sessionRow(engine: EngineState, scope: Scope, wanted: NewSession): Insertable<SessionTable> {
  const now = engine.clock.now();
  const id = engine.newId();
  return {
    id,
    project_id: scope.projectId,
    generation: scope.generation,
    status: 'created',
    model: wanted.model,
    thinking_level: wanted.thinkingLevel,
    keep_alive: flag(wanted.keepAlive),
    code_mode: flag(wanted.codeMode),
    output_schema: wanted.outputSchema === null ? null : JSON.stringify(wanted.outputSchema),
    enable_recording: flag(wanted.enableRecording),
    use_own_key: flag(wanted.useOwnKey),
    profile_id: wanted.profileId?.toLowerCase() ?? null,
    workspace_id: wanted.workspaceId,
    proxy_country_code: wanted.proxyCountryCode,
    custom_proxy: sealProxy(engine.vault, id, wanted.customProxy ?? null),
    max_cost_micros: wanted.maxCostMicros,
    inbox_email: wanted.inbox ? (engine.mail?.newAddress() ?? null) : null,
    screen_width: wanted.screen?.width ?? null,
    screen_height: wanted.screen?.height ?? null,
    start_url: wanted.startUrl,
    persist_memory: flag(wanted.persistMemory),
    resumable: flag(wanted.resumable),
    step_count: 0,
    input_tokens: 0,
    output_tokens: 0,
    proxy_bytes: 0,
    browser_ms: 0,
    ...engine.tokens.make(id, ['live', 'view']),
    created_at: now,
    updated_at: now,
    active_at: now,
  };
}

/** A run that is written for a session; every value has been validated. */
export interface NewRun
  extends Pick<
    NewSession,
    'model' | 'thinkingLevel' | 'modelParams' | 'runCostMicros' | 'runSettings' | 'runProxy' | 'secrets'
  > {
  readonly task: string;
  /** The span that caused it. @defaultValue the span of the current request */
  readonly traceParent?: string | null;
}

/** The row of a task that waits for its session. */
export function runRow(
  engine: EngineState,
  session: Pick<Insertable<SessionTable>, 'id' | 'project_id' | 'generation'>,
  {
    task,
    model,
    thinkingLevel,
    modelParams,
    runCostMicros = null,
    runSettings,
    runProxy = null,
    secrets = [],
    traceParent,
  }: NewRun,
): Insertable<RunTable> & { created_at: number } {
  const id = engine.newId();
  return {
    id,
    session_id: session.id,
    project_id: session.project_id,
    generation: session.generation,
    task: hideInTask(task, secrets),
    secrets: sealSecrets(engine, id, secrets),
    status: 'queued',
    model,
    thinking_level: thinkingLevel,
    max_cost_micros: runCostMicros,
    model_params: modelParams === null ? null : JSON.stringify(modelParams),
    settings: settingsText(runSettings, runProxy !== null),
    trace_parent: traceParent ?? engine.tracer.cause(),
    created_at: engine.clock.now(),
  };
}

/** That there is a proxy is written down, and the proxy is not: a run whose proxy is lost must not go without one. */
function settingsText(given: RunSettings | undefined, usesCustomProxy: boolean): string | null {
  const settings: RunSettings = { ...given, ...(usesCustomProxy ? { usesCustomProxy } : {}) };
  return Object.keys(settings).length === 0 ? null : JSON.stringify(settings);
}

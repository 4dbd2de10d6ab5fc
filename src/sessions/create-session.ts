import { hideInTask } from '#agent/redaction/hide-in-task.ts';
import { type Secret } from '#agent/redaction/secrets.ts';
import type { CustomProxy } from '#browsers/index.ts';
import { liveStates } from '#contract/lifecycle.ts';
import { runState, sessionStatus } from '#generated/states.ts';
import type { Screen } from '#contract/screen.ts';
import type { JsonObject } from '#lib/json.ts';
import { attach } from '#store/queries/attachments.ts';
import { insertSession, type SessionClaim, sessionById } from '#store/queries/sessions.ts';
import { flag } from '#store/tables/values.ts';
import type { RunInsert } from '#store/tables/runs.ts';
import type { Scope, SessionInsert, SessionRow } from '#store/tables/sessions.ts';
import type { WorkspaceInsert } from '#store/tables/files.ts';
import type { EngineState } from './engine-deps.ts';
import { type RunSettings, sealProxy, sealSecrets } from './run-settings.ts';
import { startSandbox } from './start-sandbox.ts';

/** Values of a new session; all are validated. */
export interface NewSession {
  /** The first task, or null for a session that starts without one. */
  readonly task: string | null;
  readonly model: string;
  /** V4 modelParams; null when the request gave none, {} for the provider's own defaults. */
  readonly modelParams: JsonObject | null;
  /** Settings of the first task. @defaultValue none */
  readonly runSettings?: RunSettings;
  /** Secrets of the first task. @defaultValue none */
  readonly secrets?: readonly Secret[];
  readonly thinkingLevel: string | null;
  readonly keepAlive: boolean;
  readonly codeMode: boolean;
  readonly outputSchema: JsonObject | null;
  readonly enableRecording: boolean;
  readonly useOwnKey: boolean;
  readonly profileId: string | null;
  readonly workspaceId: string | null;
  /** Whether to create a workspace when the request names none. @defaultValue false */
  readonly opensWorkspace?: boolean;
  /** Uploads attached to the first task. @defaultValue none */
  readonly attachedFileIds?: readonly string[];
  readonly proxyCountryCode: string | null;
  /** Custom proxy that replaces the managed proxy in every browser of the session. @defaultValue none */
  readonly customProxy?: CustomProxy | null;
  /** Custom proxy of the browsers that are started for the first task; never stored. @defaultValue none */
  readonly runProxy?: CustomProxy | null;
  /** Cost limit of the session in micro-dollars, or null. */
  readonly maxCostMicros: number | null;
  /** Cost limit of the first run in micro-dollars, or null. */
  readonly runCostMicros?: number | null;
  readonly inbox: boolean;
  readonly screen: Screen | null;
  /** Start page of the first tab, or null. */
  readonly startUrl: string | null;
  readonly persistMemory: boolean;
  /** Id of the API key or console login that creates the session, for the monthly limit of a key. @defaultValue none */
  readonly keyId?: string;
  /** Whether the session outlives its browser and failures, so that runs can follow at any time. */
  readonly resumable: boolean;
}

/** Result of creating a session: the session with its first task, or the reason why no session was created. */
export type Created =
  | {
      readonly session: SessionRow;
      readonly runId: string | null;
      /** Requested uploads that could not be attached. */
      readonly missingFileIds: readonly string[];
    }
  | { readonly tooMany: { active: number; limit: number } }
  /** Another session or browser holds the profile. */
  | { readonly profileHolder: string };

/** Writes the session and its first task durably; the sandbox then starts in the background. */
export async function createSession(engine: EngineState, scope: Scope, wanted: NewSession): Promise<Created> {
  const created = await createClaimedSession(engine, scope, { wanted, claim: null });
  if (created === null) throw new Error('a session without a claim has lost it');
  return created;
}

/**
 * Creates a session and claims its cause, such as the due start of a schedule, in one transaction. Returns null,
 * without a write, when another transaction has claimed the cause first.
 */
export async function createClaimedSession(
  engine: EngineState,
  scope: Scope,
  { wanted, claim }: { readonly wanted: NewSession; readonly claim: SessionClaim | null },
): Promise<Created | null> {
  const workspace = opensItsOwn(wanted) ? workspaceRow(engine, scope) : null;
  const workspaceId = wanted.workspaceId ?? workspace?.id ?? null;
  const session = { ...sessionRow(engine, scope, { ...wanted, workspaceId }), ...(await engine.owners.next()) };
  const run = wanted.task === null ? null : runRow(engine, session, { ...wanted, task: wanted.task });
  const living = liveStates(engine.rules.lifecycle);
  const { attachedFileIds: fileIds = [] } = wanted;
  // This call lets an idle holder release the profile; the transaction below decides.
  await engine.browserProfiles.otherHolder(session.id, session.profileId);
  const result = await insertSession(engine.db, {
    session,
    run,
    living,
    activeMax: await engine.activeMax.of(scope.projectId),
    workspace,
    claim,
    alsoMore: fileIds.length > 0,
    also: async (trx) =>
      run === null
        ? []
        : attach(trx, {
            workspaceId: session.workspaceId ?? null,
            fileIds,
            to: { runId: run.id },
          }),
  });
  if ('isClaimLost' in result) return null;
  if (!result.created)
    return 'profileHolder' in result ? result : { tooMany: { active: result.active, limit: result.limit } };
  await begin(engine, session.id, wanted.runProxy);
  const written = await sessionById(engine.db, session.id);
  return { session: written, runId: run?.id ?? null, missingFileIds: result.also };
}

function opensItsOwn({ opensWorkspace = false, workspaceId }: NewSession): boolean {
  return opensWorkspace && workspaceId === null;
}

/** Asks the owner of a session to start the sandbox of the session. */
function begin(engine: EngineState, sessionId: string, runProxy: CustomProxy | null = null): Promise<void> {
  return engine.owners.tell({ op: 'start', sessionId, runProxy }, () => {
    if (runProxy !== null) engine.sandboxes.ensure(sessionId).runProxy = runProxy;
    engine.inBackground(`start ${sessionId}`, () => startSandbox(engine, sessionId));
  });
}

function workspaceRow(engine: EngineState, { projectId }: Scope): WorkspaceInsert & { readonly id: string } {
  const now = engine.clock.now();
  return { id: engine.newId(), projectId, createdAt: now, updatedAt: now };
}

function optionalColumns({ screen, keyId }: NewSession): Pick<SessionInsert, 'screenWidth' | 'screenHeight' | 'keyId'> {
  return { screenWidth: screen?.width ?? null, screenHeight: screen?.height ?? null, keyId: keyId ?? null };
}

function sessionRow(engine: EngineState, scope: Scope, wanted: NewSession): SessionInsert {
  const now = engine.clock.now();
  const id = engine.newId();
  return {
    id,
    projectId: scope.projectId,
    generation: scope.generation,
    status: sessionStatus.created,
    model: wanted.model,
    thinkingLevel: wanted.thinkingLevel,
    keepAlive: flag(wanted.keepAlive),
    codeMode: flag(wanted.codeMode),
    outputSchema: wanted.outputSchema === null ? null : JSON.stringify(wanted.outputSchema),
    enableRecording: flag(wanted.enableRecording),
    useOwnKey: flag(wanted.useOwnKey),
    profileId: wanted.profileId?.toLowerCase() ?? null,
    workspaceId: wanted.workspaceId,
    proxyCountryCode: wanted.proxyCountryCode,
    customProxy: sealProxy(engine.vault, id, wanted.customProxy ?? null),
    maxCostMicros: wanted.maxCostMicros,
    inboxEmail: wanted.inbox ? (engine.mail?.newAddress() ?? null) : null,
    ...optionalColumns(wanted),
    startUrl: wanted.startUrl,
    persistMemory: flag(wanted.persistMemory),
    resumable: flag(wanted.resumable),
    stepCount: 0,
    inputTokens: 0,
    outputTokens: 0,
    proxyBytes: 0,
    browserMs: 0,
    ...engine.tokens.make(id, ['live', 'view']),
    createdAt: now,
    updatedAt: now,
    activeAt: now,
  };
}

/** Values of a new run; all are validated. */
export interface NewRun
  extends Pick<
    NewSession,
    'model' | 'thinkingLevel' | 'modelParams' | 'runCostMicros' | 'runSettings' | 'runProxy' | 'secrets'
  > {
  readonly task: string;
  /**
   * Trace span that caused the run, in the format of the `traceparent` header.
   * @defaultValue the span of the current request
   */
  readonly traceParent?: string | null;
}

/** Returns the row of a new run in the state `queued`. */
export function runRow(
  engine: EngineState,
  session: Pick<SessionInsert, 'id' | 'projectId' | 'generation'>,
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
): RunInsert & { createdAt: number } {
  const id = engine.newId();
  return {
    id,
    sessionId: session.id,
    projectId: session.projectId,
    generation: session.generation,
    task: hideInTask(task, secrets),
    secrets: sealSecrets(engine, id, secrets),
    status: runState.queued,
    model,
    thinkingLevel,
    maxCostMicros: runCostMicros,
    modelParams: modelParams === null ? null : JSON.stringify(modelParams),
    settings: settingsText(runSettings, runProxy !== null),
    traceParent: traceParent ?? engine.tracer.cause(),
    createdAt: engine.clock.now(),
  };
}

/**
 * Returns the settings of a run as JSON; null without settings. A custom proxy itself is not stored. The settings only
 * say that the run uses a custom proxy, so that the run never continues without it.
 */
function settingsText(given: RunSettings | undefined, usesCustomProxy: boolean): string | null {
  const settings: RunSettings = { ...given, ...(usesCustomProxy ? { usesCustomProxy } : {}) };
  return Object.keys(settings).length === 0 ? null : JSON.stringify(settings);
}

import { runState, sessionStatus } from '#generated/states.ts';
import { parseStoredObject } from '#lib/json.ts';
import { isTerminal, type Worker } from '#contract/lifecycle.ts';
import { isAllowedAddress } from '#contract/allowed-domains.ts';
import { effectiveModelParams } from '#contract/model-controls.ts';
import {
  AgentCrash,
  type AgentOutcome,
  type AgentTask,
  type AgentWorld,
  type EarlierTask,
  workerFor,
} from '#agent/agent.ts';
import type { AgentFiles } from '#agent/files.ts';
import type { Skill, SkillSummary } from '#agent/skills/skill.ts';
import { type TaskScope, openTaskScope } from '#agent/task-scope.ts';
import { runWithinSettings } from '#agent/run-within-settings.ts';
import { type Redactor } from '#agent/redaction/redactor.ts';
import { guardWorld } from '#agent/redaction/guard-world.ts';
import { withScripts } from '#agent/script/with-scripts.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import { waitBy } from '#lib/clock.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { endedRuns, readRunOrder, statusOfRun } from '#store/queries/runs.ts';
import { bookStep } from './book-step.ts';
import { completeRun } from './end-run.ts';
import { failSession } from './fail-session.ts';
import { releaseBrowser } from './inactivity.ts';
import { openSessionBrowser, announceBrowser } from './launch-browser.ts';
import { openJudge, openModel } from './model/metered-model.ts';
import type { EngineState } from './engine-deps.ts';
import { recordSessionTask } from './record-session.ts';
import { type RunSettings, parseRunSettings, runSecrets, shownError } from './run-settings.ts';
import { type Sandbox, TaskEnd } from './sandboxes.ts';
import { createServices, listIntegrations } from './task-services.ts';
import { listSkills } from './list-skills.ts';
import { createTaskFiles, takeDownloads, type TaskDownloads } from './task-files.ts';
import { withTitleAndJudgement } from './with-opinions.ts';

/** Reference to one task of a session. */
export interface RunRef {
  readonly id: string;
  readonly task: string;
  /** Span that caused the run, as a `traceparent`. @defaultValue the current span */
  readonly traceParent?: string | null | undefined;
}

/** Runs the agent on a task of a running session and records its outcome. */
export function executeRun(engine: EngineState, sessionId: string, run: RunRef): Promise<void> {
  const facts = { 'svc.session.id': sessionId, 'svc.run.id': run.id };
  return engine.tracer.apart({ name: 'task', facts, cause: run.traceParent ?? null }, async (tell) => {
    tell({ 'svc.task.end': await carryOut(engine, sessionId, run) });
  });
}

/** Runs a task and returns its outcome as a text for the trace. */
async function carryOut(engine: EngineState, sessionId: string, run: RunRef): Promise<string> {
  using _ = engine.tasks.begin();
  engine.begun.add(run.id);
  try {
    return await execute(engine, sessionId, run);
  } finally {
    engine.begun.delete(run.id);
  }
}

async function execute(engine: EngineState, sessionId: string, run: RunRef): Promise<string> {
  const sandbox = engine.sandboxes.ensure(sessionId);
  // Registered before the first await, so that a stop reaches a task whose browser is still starting.
  const task = new AbortController();
  sandbox.tasks.set(run.id, task);
  if (engine.closing.aborted) task.abort(new TaskEnd('shutdown'));
  const ended = await inTurn(engine, { sessionId, run, sandbox, task });
  if (ended !== null) await record(engine, { sessionId, run }, ended);
  // A task that was stopped while its browser started leaves the browser for the next run.
  await engine.goOn(sessionId);
  return describeEnd(ended);
}

function describeEnd(ended: Ended | null): string {
  if (ended === null) return 'not begun';
  if ('outcome' in ended) return ended.outcome.success ? 'achieved' : 'given up';
  return 'crash' in ended ? 'crashed' : ended.end.kind;
}

interface Starting {
  readonly sessionId: string;
  readonly run: RunRef;
  readonly sandbox: Sandbox;
  readonly task: AbortController;
}

/**
 * Waits until all work of the session's previous task has ended, then starts the task. Returns the result of `start`.
 */
async function inTurn(engine: EngineState, starting: Starting): Promise<Ended | null> {
  const { sessionId, run, sandbox } = starting;
  using _ = await engine.tasks.turn(sessionId);
  try {
    return await start(engine, starting);
  } finally {
    sandbox.tasks.delete(run.id);
  }
}

/**
 * Opens the session's browser and runs the agent in it. Returns the end of the task. Returns null if no end is to be
 * stored: the task had ended before this start, the browser did not start, or the sandbox was released.
 */
async function start(engine: EngineState, { sessionId, run, sandbox, task }: Starting): Promise<Ended | null> {
  const session = await sessionById(engine.db, sessionId);
  if (!(await isRunning(engine, run.id))) {
    // Stopped after dispatch: the stop found no sandbox to close.
    if (isTerminal(engine.rules.lifecycle, session.status)) await engine.sandboxes.close(sessionId);
    return null;
  }
  const browser = await openSessionBrowser(engine, session);
  if (browser === null || sandbox.closed) return null;
  const recording = recordSessionTask(engine, session, { runId: run.id, browser, sandbox });
  try {
    await announceBrowser(engine, sessionId, run.id);
    return await attempt(engine, { session, run, browser, sandbox, task });
  } finally {
    const kept = recording?.stop();
    // A task that was ended from outside does not wait for its recording: its browser may be stopping.
    if (!task.signal.aborted) await kept;
  }
}

async function isRunning(engine: EngineState, runId: string): Promise<boolean> {
  return (await statusOfRun(engine.db, runId)) === runState.running;
}

/** Outcome of an agent, with the worker that produced it. */
type Worked = AgentOutcome & { readonly worker: Worker };

type Ended = { readonly outcome: Worked } | { readonly end: TaskEnd } | { readonly crash: string };

interface Attempt {
  readonly session: SessionRow;
  readonly run: RunRef;
  readonly browser: HostedBrowser;
  readonly sandbox: Sandbox;
  readonly task: AbortController;
}

async function attempt(engine: EngineState, at: Attempt): Promise<Ended> {
  const { session, sandbox, task } = at;
  try {
    task.signal.throwIfAborted();
    const outcome = await keepingDownloads(engine, at);
    task.signal.throwIfAborted();
    return { outcome };
  } catch (error) {
    // An abort can surface as any error of the interrupted operation; the signal holds the real cause.
    if (task.signal.aborted && task.signal.reason instanceof TaskEnd) return { end: task.signal.reason };
    const shown = shownError(sandbox, error);
    if (!(error instanceof AgentCrash)) engine.log.error({ session: session.id, err: shown }, 'the agent failed');
    return { crash: shown.message };
  }
}

/**
 * Runs the agent and stores its downloads. Pending downloads are awaited at the end, unless the task was ended from
 * outside.
 */
async function keepingDownloads(engine: EngineState, at: Attempt): Promise<Worked> {
  const of = { session: at.session, runId: at.run.id };
  const shown = (name: string): string => at.sandbox.known.redactor().text(name);
  const downloads = takeDownloads(engine, { ...of, browser: at.browser, signal: at.task.signal, shown });
  const scope = openTaskScope(at.task.signal);
  try {
    const outcome = await scope.run(() =>
      work(engine, { ...at, scope, files: createTaskFiles(engine, of, downloads) }),
    );
    await downloads.settled();
    return outcome;
  } finally {
    await endWork(engine, at, { scope, downloads });
  }
}

/** Grace period for remaining work of a completed task, in milliseconds; then the work is cancelled. */
const workEndsMs = 2_000;
/** Grace period for cancelled work, such as storing a file or booking a response, in milliseconds. */
const restEndsMs = 30_000;

interface Owned {
  readonly scope: TaskScope;
  readonly downloads: TaskDownloads;
}

/**
 * Ends the remaining work of a task in the browser and elsewhere, before another task may begin. A browser that does
 * not end the work is replaced. Other work that does not end within `restEndsMs` is logged and has no further effect.
 */
async function endWork(engine: EngineState, at: Attempt, { scope, downloads }: Owned): Promise<void> {
  const { session, browser, task } = at;
  scope.close();
  // Remaining work is cancelled in the browser if the task was aborted or the work does not complete in time.
  const isCancelled = task.signal.aborted || !(await scope.settled(workEndsMs));
  try {
    await browser.endTask(isCancelled);
  } catch (error) {
    await replaceBrowser(engine, at, error);
  }
  await downloads.end();
  if (!(await scope.settled(restEndsMs)))
    engine.log.error(
      { session: session.id },
      'a task did not end what it had started: nothing more of it has an effect',
    );
}

/**
 * Replaces a browser that does not end a task's work. The session releases the browser, and the next run starts a new
 * browser. If the next run has already been dispatched, the session fails as after a browser crash.
 */
async function replaceBrowser(engine: EngineState, { session, browser, task }: Attempt, error: unknown): Promise<void> {
  engine.log.error({ session: session.id, err: error }, 'a browser did not end what a task had started');
  const isStillUsed = (): boolean => engine.sandboxes.get(session.id)?.browser === browser;
  // A run that completed by itself is recorded afterwards; until then the session is running.
  const { idle, running } = sessionStatus;
  const statuses = task.signal.aborted ? [idle] : [idle, running];
  await releaseBrowser(engine, session.id, { usedBefore: engine.clock.now(), statuses });
  const reason = 'The browser did not end what the task before had started.';
  if (isStillUsed()) await failSession(engine, session.id, { reason, kind: 'crash', onlyIf: isStillUsed });
}

interface Working extends Attempt {
  readonly scope: TaskScope;
  readonly files: AgentFiles;
}

async function work(
  engine: EngineState,
  { session, run, browser, sandbox, task, scope, files }: Working,
): Promise<Worked> {
  const secrets = await runSecrets(engine, run.id);
  sandbox.known.add(secrets);
  const goal = { ...(await readGoal(engine, session, run)), secretNames: secrets.map(({ name }) => name) };
  const called = { session, runId: run.id, goal, sandbox, task };
  const model = await openModel(engine, called);
  const judge = await openJudge(engine, called, { named: goal.settings.judge?.model ?? null, own: model });
  const worker = workerFor(engine.agent, goal.goal, model !== null);
  const skills = worker === 'model' ? await skillsFor(engine, session, goal.settings) : [];
  const isBookedByCalls = (): boolean => model?.wasCalled() === true;
  await confine(browser, goal.settings);
  const world: AgentWorld = {
    tab: () => browser.tab(scope.signal),
    files,
    signal: task.signal,
    model: model?.door ?? null,
    mailbox: engine.mail?.findMailbox(session) ?? null,
    services: createServices(engine, session, { settings: goal.settings, skills, signal: scope.signal }),
    judge: engine.judges.of(session.projectId),
    step: (step) =>
      bookStep(engine, { sessionId: session.id, runId: run.id, browser, sandbox, task, worker, isBookedByCalls }, step),
    wait: (ms) => waitBy(engine.clock, ms, task.signal),
  };
  const integrations = worker === 'model' ? listIntegrations(engine, session) : [];
  const redactor = sandbox.known.redactor();
  const onTyped = (): void => void (sandbox.hasTyped = true);
  const hasTyped = (): boolean => sandbox.hasTyped;
  const guarded = scope.own(guardWorld(world, { secrets, redactor, onTyped, hasTyped }));
  const asked = {
    sessionId: session.id,
    runId: run.id,
    goal,
    model: model?.side ?? null,
    judge,
    redactor,
    signal: task.signal,
  };
  const outcome = await withTitleAndJudgement(engine, asked, async () => {
    // A task that was ended during preparation does not start.
    task.signal.throwIfAborted();
    return withoutValues(
      await runWithinSettings(
        withScripts(engine.agent),
        { ...goal, skills: skills.map(toSummary), integrations },
        guarded,
      ),
      redactor,
    );
  });
  return { ...outcome, worker: outcome.worker ?? worker };
}

/** Returns the part of a skill that an agent sees before it reads the skill. */
function toSummary({ name, description }: Skill): SkillSummary {
  return { name, description };
}

/** Redacts secret values in an outcome, although the agent receives placeholders instead of these values. */
async function withoutValues(
  { output, reason, suggestions, ...verdict }: AgentOutcome,
  redactor: Redactor,
): Promise<AgentOutcome> {
  return {
    ...verdict,
    ...(suggestions === undefined ? {} : { suggestions: await redactor.paced([...suggestions]) }),
    output: await redactor.paced(output),
    ...(reason === undefined ? {} : { reason: await redactor.paced(reason) }),
  };
}

interface AskedTask extends AgentTask {
  readonly settings: RunSettings;
}

async function confine(browser: HostedBrowser, { allowedDomains }: RunSettings): Promise<void> {
  await browser.confine(allowedDomains === undefined ? null : (address) => isAllowedAddress(allowedDomains, address));
}

/** Returns the skills that a model may use for a task, or none if the request of the task has switched skills off. */
async function skillsFor(engine: EngineState, session: SessionRow, { usesSkills }: RunSettings): Promise<Skill[]> {
  return usesSkills === false ? [] : listSkills(engine, session);
}

async function readGoal(engine: EngineState, session: SessionRow, run: RunRef): Promise<AskedTask> {
  const row = await readRunOrder(engine.db, run.id);
  const params = parseStoredObject(row.modelParams);
  const model = row.model ?? session.model;
  const settings = parseRunSettings(row);
  return {
    goal: run.task,
    model,
    modelParams: session.generation === 'v4' ? effectiveModelParams(engine.rules, { model, params }) : null,
    outputSchema: settings.outputSchema ?? parseStoredObject(session.outputSchema),
    codeMode: session.codeMode === 1,
    settings,
    earlier: session.persistMemory === 1 ? await earlierTasks(engine, session, run) : [],
  };
}

/** Maximum number of earlier tasks that a task of the same session remembers. */
const rememberedMax = 5;

async function earlierTasks({ db }: EngineState, { id }: SessionRow, run: RunRef): Promise<EarlierTask[]> {
  const ended = await endedRuns(db, { sessionId: id, without: run.id, limit: rememberedMax });
  return ended.map(({ task, output, reason }) => ({ goal: task, result: output ?? reason ?? 'It was stopped.' }));
}

async function record(
  engine: EngineState,
  { sessionId, run }: { sessionId: string; run: RunRef },
  ended: Ended,
): Promise<void> {
  const runId = run.id;
  if ('crash' in ended) return failSession(engine, sessionId, { reason: ended.crash, kind: 'crash', runId });
  if ('outcome' in ended) return completeRun(engine, { sessionId, runId, ...ended.outcome });
  if (ended.end.kind === 'ceiling' || ended.end.kind === 'unserved') {
    return completeRun(engine, {
      sessionId,
      runId,
      success: false,
      output: null,
      reason: ended.end.reason,
    });
  }
  if (ended.end.kind === 'shutdown')
    return failSession(engine, sessionId, { reason: 'the service shut down', kind: 'shutdown', runId });
  // Stopped or crashed: the code that ended the task has recorded it.
}

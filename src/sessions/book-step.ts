import { runState } from '#generated/states.ts';
import type { Worker } from '#contract/lifecycle.ts';
import { tokenPicos, simulationPrice } from '#contract/money.ts';
import type { JsonObject } from '#lib/json.ts';
import type { AgentStep, StepUsage } from '#agent/agent.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import { addStep, bookUse, givePictureIn } from '#store/queries/steps.ts';
import { addEvent } from '#store/queries/inserts.ts';
import { statusOfRun } from '#store/queries/runs.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import { inTransaction } from '#store/transaction.ts';
import { discardBlobs } from '#accounts/workspaces/files.ts';
import { runCosts, sessionCosts } from './meters.ts';
import type { EngineState } from './engine-deps.ts';
import { type Sandbox, TaskEnd } from './sandboxes.ts';
import { storePicture } from './screenshots.ts';

interface Place {
  readonly sessionId: string;
  readonly runId: string;
  readonly browser: HostedBrowser;
  readonly sandbox: Sandbox;
  readonly task: AbortController;
  readonly worker: Worker;
  /** Returns whether model calls book the tokens of the run. If so, the tokens of a step are for display only. */
  readonly isBookedByCalls: () => boolean;
}

/**
 * Records a step with its screenshot, adds its usage to the session, and ends the task when the cost limit is reached.
 * Rejects with the reason of the end when the task has ended.
 */
export async function bookStep(engine: EngineState, place: Place, step: AgentStep): Promise<void> {
  place.task.signal.throwIfAborted();
  const screenshot = await storePicture(engine, place.sessionId, { ...place, signal: place.task.signal });
  const written = place.task.signal.aborted ? notWritten : await writeStep(engine, place, { ...step, screenshot });
  // The session was purged meanwhile, or its task has ended.
  if (screenshot !== null && !written.hasPicture) await discardBlobs(engine, [screenshot]);
  place.task.signal.throwIfAborted();
  // A task that was ended meanwhile books nothing more and must stop.
  if (written.state === 'ended') place.task.abort(new TaskEnd('stopped'));
  if (written.state === 'ceiling') place.task.abort(new TaskEnd('ceiling'));
  place.task.signal.throwIfAborted();
}

/** State of the task after a step, and whether the session stored the step's screenshot. */
interface Written {
  readonly state: 'goesOn' | 'ceiling' | 'ended';
  readonly hasPicture: boolean;
}

const notWritten: Written = { state: 'ended', hasPicture: false };

/** Returns whether the session or the run has reached its cost limit. */
function isAtCeiling(engine: EngineState, { session, run }: RunOfSession): boolean {
  const ofSession = session.maxCostMicros ?? Number.POSITIVE_INFINITY;
  const ofRun = run.maxCostMicros ?? Number.POSITIVE_INFINITY;
  return sessionCosts(engine, session).total >= ofSession || runCosts(engine, { run, session }).total >= ofRun;
}

const nothing: StepUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * Returns the tokens to book with a step. None for the offline planner, which only estimates tokens, and none if model
 * calls book them.
 */
function chooseUsage({ worker, isBookedByCalls }: Place, step: AgentStep): StepUsage {
  return worker === 'offline_planner' || isBookedByCalls() ? nothing : step.usage;
}

async function writeStep(
  engine: EngineState,
  place: Place,
  step: AgentStep & { screenshot: string | null },
): Promise<Written> {
  const now = engine.clock.now();
  const bytes = engine.sandboxes.unbookedBytes(place.sessionId);
  const worker = step.worker ?? place.worker;
  const { inputTokens, outputTokens } = chooseUsage(place, step);
  const picos = tokenPicos(simulationPrice(engine.rules.pricing), { inputTokens, outputTokens });
  return inTransaction(
    engine.db,
    async (trx, attempt) => {
      attempt.onFailure(engine.sandboxes.holdBooked(place.sessionId));
      const status = await statusOfRun(trx, place.runId);
      if (status !== runState.running) return notWritten;
      const { screenshot } = step;
      const hasPicture = screenshot !== null && (await givePictureIn(trx, place.sessionId, screenshot));
      const { sessionId, runId } = place;
      const use = { inputTokens, outputTokens, picos, bytes, worker };
      const booked = await bookUse(trx, { sessionId, runId, summary: step.summary, now, ...use });
      const sandbox = engine.sandboxes.get(place.sessionId);
      if (sandbox !== undefined) sandbox.bookedBytes += bytes;
      await addStep(trx, stepRow(place, { ...step, screenshot: hasPicture ? screenshot : null }, now));
      const event = { sessionId, runId, createdAt: now };
      await addEvent(trx, { ...event, type: 'step', data: JSON.stringify(createEventContent(step)) });
      return { state: isAtCeiling(engine, booked) ? 'ceiling' : 'goesOn', hasPicture };
    },
    { of: [place.sessionId] },
  );
}

/** Returns the content of a step's event: its summary, the page, and the tool that was used. */
function createEventContent({ summary, url, action }: AgentStep): JsonObject {
  const { kind } = action;
  return { summary, url, ...(typeof kind === 'string' ? { tool: kind } : {}) };
}

function stepRow(place: Place, step: AgentStep & { screenshot: string | null }, now: number) {
  return {
    sessionId: place.sessionId,
    runId: place.runId,
    summary: step.summary,
    action: JSON.stringify(step.action),
    url: step.url,
    screenshotKey: step.screenshot,
    inputTokens: place.worker === 'offline_planner' ? 0 : step.usage.inputTokens,
    outputTokens: place.worker === 'offline_planner' ? 0 : step.usage.outputTokens,
    createdAt: now,
  };
}

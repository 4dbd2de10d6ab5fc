import { type AgentOutcome, workerFor } from '#agent/agent.ts';
import type { MeteredModel } from '#agent/model/model-call.ts';
import { type Judgement, askForJudgement } from '#agent/output/ask-for-judgement.ts';
import { askForTitle, getTitle } from '#agent/title.ts';
import type { Redactor } from '#agent/redaction/redactor.ts';
import { hasCostLimit, nameRun, setJudgement, readRunSteps } from '#store/queries/runs.ts';
import { inTransaction } from '#store/transaction.ts';
import { noteEvent } from './transition.ts';
import type { EngineState } from './engine-deps.ts';
import type { RunSettings } from './run-settings.ts';

/** A run, with the model clients for its title and its judgement. */
export interface AssessedRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly goal: { readonly goal: string; readonly settings: RunSettings };
  /** Client for optional calls; null without a model: then no title is generated. */
  readonly model: MeteredModel | null;
  /** Client for the judgement; null where no model can judge. */
  readonly judge: MeteredModel | null;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/**
 * Runs the agent. Meanwhile, a model generates the title of the task. After the agent has ended, a model judges the
 * result if the run requests a judgement. Neither model changes the outcome or causes a rejection.
 */
export async function withTitleAndJudgement(
  engine: EngineState,
  of: AssessedRun,
  work: () => Promise<AgentOutcome>,
): Promise<AgentOutcome> {
  const { model, judge: judging } = of;
  const named = model === null ? null : unharmed(engine, of, () => name(engine, of, model));
  const [worked] = await Promise.all([settled(work()), named]);
  if (worked.status === 'rejected') throw worked.reason;
  if (judging !== null) await unharmed(engine, of, () => judge(engine, of, { model: judging, outcome: worked.value }));
  return worked.value;
}

async function settled<Result>(work: Promise<Result>): Promise<PromiseSettledResult<Result>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

/**
 * Runs a request for a title or judgement. A failure of the request is logged and not thrown. Does nothing if the
 * signal of the task has aborted, and logs no failure after the abort.
 */
async function unharmed(
  engine: EngineState,
  { sessionId, signal }: AssessedRun,
  ask: () => Promise<void>,
): Promise<void> {
  try {
    if (!signal.aborted) await ask();
  } catch (error) {
    if (!signal.aborted) engine.log.error({ session: sessionId, err: error }, 'a run got no opinion of a model');
  }
}

/**
 * Asks a model for a title of the task, which replaces the beginning of the task as the title. The beginning stays for
 * a run with a cost limit, because the reservation for a title could prevent the agent's next call. It also stays for a
 * task with a script, in flash mode, or without a model as its worker.
 */
async function name(
  engine: EngineState,
  { sessionId, runId, goal, redactor }: AssessedRun,
  model: MeteredModel,
): Promise<void> {
  // A task with a script may need no model at all.
  if (goal.settings.script !== undefined || goal.settings.flashMode === true) return;
  if (workerFor(engine.agent, goal.goal, true) !== 'model' || (await hasCostLimit(engine.db, runId))) return;
  const asked = await askForTitle(model, redactor.text(goal.goal));
  if (asked === null) return;
  const title = redactor.text(asked);
  await nameRun(engine.db, { sessionId, runId, title, replaces: getTitle(goal.goal) });
}

interface Judged {
  readonly model: MeteredModel;
  readonly outcome: AgentOutcome;
}

/**
 * Asks a model for the judgement that the run requests, and stores the judgement before the run ends. A record is
 * complete as soon as its state is final (companion 2 C17).
 */
async function judge(engine: EngineState, of: AssessedRun, { model, outcome }: Judged): Promise<void> {
  const { sessionId, runId, goal, redactor } = of;
  const wanted = goal.settings.judge;
  if (wanted === undefined) return;
  const steps = (await readRunSteps(engine.db, runId)).map(({ summary }) => summary);
  const context = wanted.context === null ? null : redactor.text(wanted.context);
  const said = await askForJudgement(model, { goal: redactor.text(goal.goal), outcome, steps, context });
  if (said === null) return;
  const judgement: Judgement = { verdict: said.verdict, reasoning: redactor.text(said.reasoning) };
  await inTransaction(
    engine.db,
    async (trx) => {
      const note = { sessionId, runId, type: 'run.judged', data: { ...judgement } };
      if (!(await noteEvent(trx, note, engine.clock.now()))) return;
      await setJudgement(trx, runId, JSON.stringify(judgement));
    },
    { of: [sessionId] },
  );
}

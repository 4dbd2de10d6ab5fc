import type { JsonValue } from '#lib/json.ts';
import type { Agent, AgentOutcome, AgentTask, AgentWorld } from '../agent.ts';
import { giveUp } from '../answer/finish.ts';
import { FileError } from '../files.ts';
import type { MeteredModel } from '../model/model-call.ts';
import { answerByModel, createHeal } from './heal.ts';
import { type Played, playScript, scriptStep } from './play.ts';
import { recordWorld } from './record.ts';
import { formatScript, parseScript, type Script, type ScriptChange } from './script-file.ts';
import { createMarks, readTemplate, scriptPath, type Template } from './template.ts';
import { createTrace, makeScript, type Trace } from './trace.ts';

/**
 * Wraps an agent. The wrapped agent replays the script of a task if the workspace contains one, and otherwise records a
 * script. Tasks that do not request scripts, tasks in code mode and simulated tasks run unchanged.
 */
export function withScripts(agent: Agent): Agent {
  return {
    ...agent,
    async run(task, world) {
      const { script } = task.settings ?? {};
      const isSimulation = agent.worker?.(task.goal, world.model !== null) === 'simulation';
      if (script === undefined || task.codeMode || isSimulation) return agent.run(task, world);
      const template = readTemplate(task.goal);
      const plain = { ...task, goal: template.goal };
      const path = scriptPath(template, task);
      const at: At = { agent, task: plain, world, template, path, autoHeal: script.autoHeal };
      const stored = await readStored(at);
      if (stored === null) return record(at, { trace: newTrace(template), version: 1, changes: [] });
      return 'fault' in stored ? unusable(at, stored.fault) : play(at, stored.script);
    },
  };
}

/** Context of a task with a script. */
interface At {
  readonly agent: Agent;
  /** The task without marks. */
  readonly task: AgentTask;
  readonly world: AgentWorld;
  readonly template: Template;
  readonly path: string;
  readonly autoHeal: boolean;
}

function newTrace(template: Template): Trace {
  return createTrace(template, createMarks(template.values));
}

/**
 * Reads the script of a task. Returns null if the workspace has no script file; a fault for a file that is not text, an
 * invalid script or the script of another task.
 */
async function readStored({ world, path, template }: At): Promise<ReturnType<typeof parseScript> | null> {
  const file = await orFileError(world.files.read(path));
  if (file instanceof FileError) return null;
  const text = await orFileError(world.files.readText(path));
  if (text instanceof FileError) return { fault: text.message };
  const parsed = parseScript(text.text);
  if ('fault' in parsed || parsed.script.task === template.text) return parsed;
  return { fault: 'it is the script of another task' };
}

/** Resolves to the value of a promise, or to the FileError that rejects it; rejects with any other error. */
function orFileError<Value>(work: Promise<Value>): Promise<Value | FileError> {
  return work.catch((error: unknown) => {
    if (error instanceof FileError) return error;
    throw error;
  });
}

/** Data about the script that a run records. */
interface Recording {
  readonly trace: Trace;
  readonly version: number;
  readonly changes: readonly ScriptChange[];
  /** Text that is added to the task when an agent continues after a replay. @defaultValue none */
  readonly addition?: string;
}

/**
 * Runs the agent, and stores the script of a successful run. A step of the run reports the stored script, or why none
 * is stored; failed runs and runs without actions have no such step.
 */
async function record(at: At, { trace, version, changes, addition = '' }: Recording): Promise<AgentOutcome> {
  const { agent, task, world } = at;
  const recording = recordWorld(world, trace);
  const outcome = await agent.run({ ...task, goal: `${task.goal}${addition}` }, recording.world);
  if (!outcome.success || (trace.steps.length === 0 && trace.spoiled === null)) return outcome;
  const last = await recording.last();
  if (trace.spoiled !== null || last === null)
    await note(world, 'script_not_kept', `Kept no script: ${trace.spoiled ?? 'the run used no page'}`);
  else await keep(at, makeScript({ trace, output: outcome.output, last, version, changes }));
  return outcome;
}

/**
 * Stores a script, and its previous version under another name. Records as a step whether the script was stored. The
 * run continues if the script is too long or the workspace refuses it.
 */
async function keep({ world, path }: At, script: Script): Promise<void> {
  const text = formatScript(script);
  const { version, steps } = script;
  const { files } = world.unlimited ?? world;
  if (text === null) return note(world, 'script_not_kept', 'Kept no script: the run is too long for one');
  try {
    const before = version === 1 ? null : await orFileError(files.readText(path));
    if (before !== null && !(before instanceof FileError))
      await files.write(path.replace(/\.json$/, `.v${version - 1}.json`), before.text);
    await files.write(path, text);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return note(world, 'script_not_kept', `Kept no script: ${error.message}`);
  }
  return note(world, 'script_kept', `Kept the script ${path}: version ${version}, ${steps.length} steps`);
}

/**
 * Records an event of the script as a step of the run, for example that the script was stored or not used. Such a step
 * does not count towards the step limit of the task.
 */
async function note(world: AgentWorld, kind: string, summary: string): Promise<void> {
  const { unlimited = world } = world;
  await unlimited.step(await scriptStep(await unlimited.tab(), summary, { kind }));
}

/** Runs the agent for a task whose script file cannot be used. The file is left as it is. */
async function unusable(at: At, fault: string): Promise<AgentOutcome> {
  await note(at.world, 'script_fell_back', `Fell back: the script ${at.path} cannot be used: ${fault}`);
  return at.agent.run(at.task, at.world);
}

async function play(at: At, script: Script): Promise<AgentOutcome> {
  const { world, path, template } = at;
  const trace = newTrace(template);
  const { model, wasCalled } = countedModel(world.model);
  const heal = at.autoHeal ? createHeal({ task: at.task, model }) : null;
  const played = await playScript({ world, script, path, trace, heal });
  const outcome = await finishPlayed(at, { script, played, model });
  if (outcome === null) {
    const reason = 'reason' in played.answer ? played.answer.reason : 'the output does not fit the schema of the task';
    return fallBack(at, { script, trace, played, reason });
  }
  if (outcome.success) await update(at, { script, trace, played, output: outcome.output });
  return wasCalled() ? outcome : { ...outcome, worker: 'script' };
}

/** Wraps a model (null for none). Returns the wrapped model, and a function that tells whether it was called. */
function countedModel(model: MeteredModel | null): { model: MeteredModel | null; wasCalled: () => boolean } {
  let calls = 0;
  const call: MeteredModel['call'] = async (request) => {
    calls += 1;
    return model === null ? Promise.reject(new TypeError('found no model, expected one')) : model.call(request);
  };
  return { model: model === null ? null : { ...model, call }, wasCalled: () => calls > 0 };
}

interface Finishing {
  readonly script: Script;
  readonly played: Played;
  readonly model: MeteredModel | null;
}

/** Returns the outcome of a replay that did all steps; null when the agent has to take over. */
async function finishPlayed({ task, world, autoHeal }: At, of: Finishing): Promise<AgentOutcome | null> {
  const { script, played, model } = of;
  if ('output' in played.answer) {
    const { output } = played.answer;
    const judged = task.outputSchema === null ? null : await world.judge.check(task.outputSchema, output);
    if (judged?.ok !== false) return { success: true, output };
  }
  if (!autoHeal || model === null || played.done < script.steps.length) return null;
  const { pages, summaries } = played;
  return answerByModel({ task, world, model, pages, summaries, recorded: script.answer.output });
}

interface Updating {
  readonly script: Script;
  readonly trace: Trace;
  readonly played: Played;
  readonly output: JsonValue;
}

/** Stores a new version of a script if elements were healed or the model gave the answer; otherwise does nothing. */
async function update(at: At, { script, trace, played, output }: Updating): Promise<void> {
  const { answer, changes, pages } = played;
  const reasons = [...changes, ...('reason' in answer ? [answer.reason] : [])];
  const last = pages.at(-1);
  if (reasons.length === 0 || last === undefined) return;
  const version = script.version + 1;
  const change = { version, reason: reasons.join('; ').slice(0, reasonMax) };
  await keep(at, makeScript({ trace, output, last, version, changes: [...script.changes, change] }));
}

interface Fallen {
  readonly script: Script;
  readonly trace: Trace;
  readonly played: Played;
  readonly reason: string;
}

/**
 * Continues with the agent after an incomplete replay. With a model, the agent continues on the current page. The
 * planner would start again, so without a model the run fails if a replayed step can have had an effect outside of the
 * browser.
 */
async function fallBack(at: At, { script, trace, played, reason }: Fallen): Promise<AgentOutcome> {
  const { agent, task, world, autoHeal } = at;
  if (world.model === null && played.hasChanged) {
    await note(world, 'script_failed', `Failed: ${reason}`);
    const outcome = giveUp(task, `The script of this task does not fit the page any more (${reason}).`, []);
    return { ...outcome, worker: 'script' };
  }
  await note(world, 'script_fell_back', `Fell back after ${played.done} steps: ${reason}`);
  const isBegun = world.model !== null && played.summaries.length > 0;
  const addition = isBegun ? continuation(played.summaries) : '';
  if (!autoHeal) return agent.run({ ...task, goal: `${task.goal}${addition}` }, world);
  const version = script.version + 1;
  const changes = [...script.changes, { version, reason: reason.slice(0, reasonMax) }];
  return record(at, { trace: isBegun ? trace : newTrace(at.template), version, changes, addition });
}

const reasonMax = 500;

/** Returns the text that tells an agent which steps a script has done. */
function continuation(summaries: readonly string[]): string {
  const lines = summaries.map((summary, index) => `${index + 1}. ${summary}`).join('\n');
  return `\n\nThe following steps of this task are done. Do not repeat them; continue on the page in front:\n${lines}`;
}

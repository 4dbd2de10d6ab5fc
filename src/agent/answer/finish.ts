import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { AgentOutcome, AgentTask } from '../agent.ts';
import type { OutputJudge } from '../output-judge.ts';
import { type Facts, factsByName, factText } from './facts.ts';
import type { PerformedAction, Reading } from './plan.ts';
import { writeScript } from './write-script.ts';

/** Actions that were performed in a task, and values that were read. */
export interface Work {
  readonly actions: readonly PerformedAction[];
  readonly facts: Facts;
}

/**
 * Returns the outcome of completed work: free text, or the output that schema and code mode of the task require. The
 * outcome is a failure if the facts do not yield an output that conforms to the schema.
 */
export async function finish(task: AgentTask, { actions, facts }: Work, judge: OutputJudge): Promise<AgentOutcome> {
  const text = answerText(actions, facts);
  if (task.outputSchema === null)
    return { success: true, output: task.codeMode ? withCode(text, actions, readData(facts)) : text };
  const conformed = await judge.conform(task.outputSchema, { answer: text, facts, unknown: 'refuse' });
  if (!conformed.ok)
    return giveUp(task, `I could not give the output that was asked for: ${conformed.reason}.`, actions);
  return { success: true, output: task.codeMode ? withCode(text, actions, conformed.output) : conformed.output };
}

/**
 * Returns the outcome of a failed task. In code mode its output is the reason and the script. Otherwise its output is
 * null if the task has an output schema, else the reason.
 */
export function giveUp(task: AgentTask, reason: string, actions: readonly PerformedAction[]): AgentOutcome {
  if (task.codeMode) return { success: false, reason, output: { text: reason, code: writeScript(actions) } };
  return { success: false, reason, output: task.outputSchema === null ? reason : null };
}

/** Returns the output of code mode (contract section 2, Session, `output`). */
export function withCode(text: string, actions: readonly PerformedAction[], output: JsonValue): JsonObject {
  return { text, code: writeScript(actions), output };
}

function readData(facts: Facts): JsonObject {
  const byName = factsByName(facts, '');
  const names = ['title', 'headings', 'links', 'tables', 'text', 'url', 'file', 'files'] as const;
  return Object.fromEntries(names.flatMap((name) => (facts[name] === undefined ? [] : [[name, byName(name) ?? null]])));
}

/**
 * Returns the answer as text: values that were read, texts and paths of files, texts of `say` actions, and notes.
 * Without any of these, says that the task is done and names the final page if it is known.
 */
function answerText(actions: readonly PerformedAction[], facts: Facts): string {
  const said = actions.flatMap((action) => (action.kind === 'say' ? [action.text] : []));
  const read = [...new Set(actions.flatMap((action) => (action.kind === 'read' ? [action.what] : [])))];
  const [only] = read;
  // A single value needs no name; several values do.
  const readings =
    read.length === 1 && only !== undefined ? [oneReading(only, facts)] : read.map((what) => named(what, facts));
  const parts = [...readings, ...fileTexts(facts), ...said, ...(facts.notes ?? [])];
  if (parts.length > 0) return parts.join('\n');
  return facts.url === undefined
    ? 'Done.'
    : `Done. The page is ${facts.title === undefined || facts.title === '' ? 'untitled' : `"${facts.title}"`} (${facts.url}).`;
}

/**
 * Returns the texts of the files that the task has read, and the paths of the files that it has listed. Empty if it did
 * neither.
 */
function fileTexts({ file, files }: Facts): string[] {
  const listed = files === undefined ? [] : [files.length === 0 ? 'There are no files.' : files.join('\n')];
  return [...(file === undefined ? [] : [file]), ...listed];
}

function oneReading(what: Reading, facts: Facts): string {
  const text = factText(what, facts);
  return text === '' ? `The page has no ${what}.` : text;
}

function named(what: Reading, facts: Facts): string {
  const text = factText(what, facts);
  const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  if (text === '') return `${name}: none`;
  return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
}

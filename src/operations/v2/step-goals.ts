import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { StepRow } from '#store/schema.ts';

const TEXT_MAX = 200;

/**
 * Returns what the agent wanted with a step: the words that a model said when it took the step, else an instruction made of the step's action.
 * The result depends on the step alone, so that a task that is polled shows the same words again.
 */
export function stepGoal({ action }: Pick<StepRow, 'action'>): string {
  const value: JsonValue = JSON.parse(action);
  if (!isJsonObject(value)) return 'Work on the task.';
  const said = value['said'];
  return typeof said === 'string' ? said : `${instruction(value)}.`;
}

/** Returns what came of the step before; `number` is that of the step before, from 1, and `summary` its summary. */
export function evaluation(before: { readonly number: number; readonly summary: string } | null): string {
  return before === null ? 'There is no step before this step.' : `Step ${before.number}: ${before.summary}`;
}

/** One instruction for each kind of action of the offline planner; a tool of a model is named. */
function instruction(action: JsonObject): string {
  const { kind } = action;
  const make = typeof kind === 'string' && Object.hasOwn(INSTRUCTIONS, kind) ? INSTRUCTIONS[kind] : undefined;
  if (make !== undefined) return make((member) => textIn(action, member));
  return typeof kind === 'string' ? `Use the tool ${shortened(kind)}` : 'Work on the task';
}

/** Reads a member of an action as text; null where the action has no such member. */
type Read = (member: string) => string | null;

const quoted = (text: string | null): string => `"${text ?? ''}"`;

/** Says a part of an instruction when it has a text. */
const part = (before: string, text: string | null): string => (text === null ? '' : ` ${before} ${quoted(text)}`);

const INSTRUCTIONS: Readonly<Record<string, (read: Read) => string>> = {
  open: (read) => `Open ${read('url') ?? 'a page'}`,
  click: (read) => `Click ${quoted(read('name'))}`,
  type: (read) => `Type ${quoted(read('text'))} into ${quoted(read('field'))}`,
  press: (read) => `Press ${read('key') ?? 'a key'}`,
  select: (read) => `Select ${quoted(read('option'))} in ${quoted(read('field'))}`,
  check: (read) => `${read('isOn') === 'false' ? 'Clear' : 'Tick'} ${quoted(read('name'))}`,
  wait: (read) => `Wait ${read('seconds') ?? '0'} s`,
  read: (read) => `Read the ${read('what') ?? 'page'} of the page`,
  say: (read) => `Answer ${quoted(read('text'))}`,
  readFile: (read) => (read('name') === null ? 'Read the attached files' : `Read the file ${quoted(read('name'))}`),
  listFiles: (read) => (read('which') === 'attached' ? 'List the attached files' : 'List the files of the workspace'),
  writeFile: (read) => `Write the file ${quoted(read('name'))}`,
  upload: (read) => `Upload the file ${quoted(read('name'))}${part('into', read('field'))}`,
  download: (read) => `Download ${quoted(read('name'))}`,
  mailAddress: (read) => `Type the mail address of the session${part('into', read('field'))}`,
  waitForMail: (read) => `Wait for a mail${part('from', read('from'))}${part('with the subject', read('subject'))}`,
  mailLink: (read) => `Open ${read('name') === null ? 'the link' : `the link ${quoted(read('name'))}`} in the mail`,
  mailCode: (read) => `Read the code in the mail${part('and type it into', read('field'))}`,
  readMail: () => 'Read the mail',
};

function textIn(action: JsonObject, member: string): string | null {
  const value = action[member] ?? null;
  if (value === null) return null;
  return shortened(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Cuts a text to 200 characters; only the beginning of a long text is looked at. */
function shortened(text: string): string {
  const line = text
    .slice(0, TEXT_MAX * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length < TEXT_MAX && text.length < TEXT_MAX * 2 ? line : `${line.slice(0, TEXT_MAX - 1)}…`;
}

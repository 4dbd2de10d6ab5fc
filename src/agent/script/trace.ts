import type { JsonValue } from '#lib/json.ts';
import { makeAnswer, wordsIn } from './answer.ts';
import type { PageView } from './page-view.ts';
import { type Script, scriptBounds, type ScriptAction, type ScriptChange, type ScriptStep } from './script-file.ts';
import type { Marks, Template } from './template.ts';

/** Recorded steps of a run, from which a script is created. */
export interface Trace {
  readonly template: Template;
  readonly marks: Marks;
  readonly steps: ScriptStep[];
  /** The page before the last step that can change a page; null without such a step. */
  before: PageView | null;
  /** Reason why no script can be made; null while a script is possible. */
  spoiled: string | null;
}

/** Creates an empty trace. */
export function createTrace(template: Template, marks: Marks): Trace {
  return { template, marks, steps: [], before: null, spoiled: null };
}

const changingPattern = /^(?:click|doubleClick|type|select|check|press|upload|download)$/;

/** Returns whether an action can have an effect outside of the browser. */
export function isChanging(action: ScriptAction): boolean {
  return changingPattern.test(action.do) || action.do === 'writeFile';
}

/**
 * Adds a step; `page` is the last observed page, null before the first observation. Beyond the limit of steps, sets
 * `spoiled`. Has no effect on a trace with `spoiled`.
 */
export function addStep(trace: Trace, action: ScriptAction, { page, isNew }: SeenPage): void {
  if (trace.steps.length >= scriptBounds.steps) trace.spoiled ??= `it has more than ${scriptBounds.steps} steps`;
  if (trace.spoiled !== null) return;
  if (changingPattern.test(action.do)) trace.before = page;
  trace.steps.push({ action, seen: isNew && page !== null ? page.hash : null, isDerived: isDerived(trace, action) });
}

/** The page of a step as last observed. */
export interface SeenPage {
  readonly page: PageView | null;
  /** Whether the page was observed since the step before. */
  readonly isNew: boolean;
}

/**
 * Returns whether an action enters words that are no part of the task, inputs or secrets, and therefore may come from a
 * page.
 */
function isDerived({ template }: Trace, action: ScriptAction): boolean {
  const text = action.do === 'type' || action.do === 'writeFile' || action.do === 'answerDialog' ? action.text : '';
  const given = wordsIn(template.text);
  return [...wordsIn(text.replaceAll(/@\{\{[^}]*\}\}|<secret:[^<>]+>/g, ' '))].some((word) => !given.has(word));
}

/** Data from which a script is created: the trace, and the result of its run. */
export interface Completed {
  readonly trace: Trace;
  readonly output: JsonValue;
  readonly last: PageView;
  readonly version: number;
  readonly changes: readonly ScriptChange[];
}

/** Returns the script of a completed trace. */
export function makeScript({ trace, output, last, version, changes }: Completed): Script {
  const { template, marks, before, steps } = trace;
  const answer = makeAnswer({ output, last, before, task: template.text, marks });
  return { format: 1, version, task: template.text, steps, answer, changes: changes.slice(-changesMax) };
}

/** Maximum number of changes that a script lists. */
const changesMax = 100;

import { plannerPhrases, type Phrase } from './phrases.ts';
import type { Action, Plan } from '#agent/answer/plan.ts';
import { type Quoted, quote } from './quoting.ts';
import { answerExpression, textRemark } from './text-phrases.ts';

/** Maximum length of a goal in characters. A longer goal counts as not understood, so that parsing never takes long. */
const goalCharactersMax = 10_000;
const clauseCharactersMax = 500;
const actionsMax = 50;

/**
 * Parses a task in plain English into actions. The table `plannerPhrases` lists the instructions, such as "Open
 * <address>", "Click 'More'", "Type 'x' into 'Search'", "Wait 2 seconds" and "Tell me the title". Instructions are
 * separated by full stops, commas, "and" or "then". A name or text that contains a separator must be quoted. If a part
 * of a task is not understood, the whole task is `unclear`, because half of an instruction can do harm. Pure: never
 * throws, and equal tasks yield equal plans.
 */
export function parseGoal(goal: string): Plan {
  if (goal.length > goalCharactersMax) return { kind: 'unclear', part: `${goal.slice(0, 100)}…` };
  const result = answerExpression(goal);
  if (result !== null) return { kind: 'understood', actions: [{ kind: 'say', text: result }] };
  const quoted = quote(goal);
  const actions: Action[] = [];
  let saidUntil: number | null = null;
  for (const clause of splitClauses(quoted.text)) {
    const last = actions.at(-1);
    if (isRemarkOn(last, clause)) continue;
    const understood = understand(clause, quoted);
    if (understood !== null) {
      actions.push(...understood.actions);
      saidUntil = findTextEnd(understood, clause);
    } else if (last?.kind === 'say' && saidUntil !== null) {
      // "Say hello, world": following text that is no instruction belongs to the text to say.
      const more = quoted.unquote(quoted.text.slice(saidUntil, clause.end));
      actions[actions.length - 1] = { kind: 'say', text: last.text + more };
      saidUntil = clause.end;
    } else return { kind: 'unclear', part: quoted.restore(clause.text) };
  }
  if (actions.length === 0 || actions.length > actionsMax) return { kind: 'unclear', part: goal.trim().slice(0, 100) };
  return { kind: 'understood', actions };
}

/**
 * Returns the end of the clause if the clause gives a text to say, because such a text may continue after the next
 * separator. Returns null for any other clause.
 */
function findTextEnd({ by, actions }: Understood, { end }: Clause): number | null {
  return by === 'say' && actions[0]?.kind === 'say' ? end : null;
}

/** Returns whether a clause only describes how to say the text of the last action, such as "nothing else". */
function isRemarkOn(last: Action | undefined, clause: Clause): boolean {
  return last?.kind === 'say' && clause.text.length <= clauseCharactersMax && textRemark.test(clause.text);
}

interface Understood {
  /** Name of the instruction whose pattern matched. */
  readonly by: Phrase['name'];
  readonly actions: readonly Action[];
}

function understand(clause: Clause, quoted: Quoted): Understood | null {
  if (clause.text.length > clauseCharactersMax) return null;
  for (const phrase of plannerPhrases) {
    const parts = phrase.pattern.exec(clause.text)?.groups;
    if (parts === undefined) continue;
    const found = Object.entries(parts).flatMap(([name, part]) =>
      part === undefined ? [] : [[name, quoted.unquote(part)]],
    );
    const actions = phrase.actions(Object.fromEntries(found));
    if (actions !== null) return { by: phrase.name, actions };
  }
  return null;
}

/** Matches a separator between two instructions. */
const borderPattern = /(?:[;\n]|(?<![.!?,])[.!?,]+(?=\s|$)|\s(?:and\s+then|and|then|after\s+that)(?=\s))\s*/gi;

/** A part of a goal with its position. */
interface Clause {
  readonly text: string;
  readonly start: number;
  /** Index after the last character of the part. */
  readonly end: number;
}

/**
 * Splits a goal into clauses at full stops, commas, line ends, "and" and "then". Omits parts without letters and
 * digits.
 */
function splitClauses(text: string): Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  const add = (end: number): void => {
    const part = text.slice(start, end);
    if (/[\p{L}\p{N}]/u.test(part)) clauses.push({ text: part.trim(), start, end: start + part.trimEnd().length });
  };
  for (const border of text.matchAll(borderPattern)) {
    add(border.index);
    start = border.index + border[0].length;
  }
  add(text.length);
  return clauses;
}

import { PHRASES } from './phrases.ts';
import type { Action, Plan } from './plan.ts';
import { type Quoted, quote } from './quoting.ts';
import { type Clause, splitClauses } from './split-clauses.ts';

/** Longer goals are not plain instructions; the bounds keep parsing well below a millisecond per clause. */
const GOAL_CHARACTERS_MAX = 10_000;
const CLAUSE_CHARACTERS_MAX = 500;
const ACTIONS_MAX = 50;

/**
 * Reads a goal in plain English into actions. What is understood is the table `PHRASES`: instructions such as
 * "Open <address>", "Click 'More'", "Type 'x' into 'Search'", "Press Enter", "Wait 2 seconds", "Tell me the title",
 * "List the headings / links / tables / text", "Say hello", one after the other, joined by full stops, commas, "and" or
 * "then". Names and texts may stand in quotation marks, and must when they hold one of the joining words.
 *
 * Pure: never throws, and the same goal always gives the same plan. A goal with any part that is not understood is
 * unclear as a whole, because doing half of what was asked can do harm.
 */
export function parseGoal(goal: string): Plan {
  if (goal.length > GOAL_CHARACTERS_MAX) return { kind: 'unclear', part: `${goal.slice(0, 100)}…` };
  const quoted = quote(goal);
  const actions: Action[] = [];
  let saidFrom: { readonly at: number; readonly text: string } | null = null;
  for (const clause of splitClauses(quoted.text)) {
    const understood = understand(clause, quoted);
    const last = actions.at(-1);
    if (understood !== null) {
      actions.push(...understood);
      const said = understood.at(-1);
      saidFrom = said?.kind === 'say' ? { at: clause.end, text: said.text } : null;
    } else if (last?.kind === 'say' && saidFrom !== null) {
      // "Say hello, world": what follows and is no instruction belongs to what is to be said.
      actions[actions.length - 1] = {
        kind: 'say',
        text: saidFrom.text + quoted.unquote(quoted.text.slice(saidFrom.at, clause.end)),
      };
    } else return { kind: 'unclear', part: quoted.restore(clause.text) };
  }
  if (actions.length === 0 || actions.length > ACTIONS_MAX) return { kind: 'unclear', part: goal.trim().slice(0, 100) };
  return { kind: 'understood', actions };
}

function understand(clause: Clause, quoted: Quoted): readonly Action[] | null {
  if (clause.text.length > CLAUSE_CHARACTERS_MAX) return null;
  for (const phrase of PHRASES) {
    const parts = phrase.pattern.exec(clause.text)?.groups;
    if (parts === undefined) continue;
    const found = Object.entries(parts).flatMap(([name, part]) =>
      part === undefined ? [] : [[name, quoted.unquote(part)]],
    );
    return phrase.actions(Object.fromEntries(found));
  }
  return null;
}

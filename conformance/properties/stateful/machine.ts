import * as fc from 'fast-check';
import type { ScenarioContext } from '../../core/scenario.ts';
import type { Actor } from './actor.ts';
import type { Violation, Rules } from './model.ts';
import type { Turn } from './moment.ts';
import type { Script } from './script.ts';

/** One kind of resource with a life cycle: its script generators, and the model that validates the responses. */
export interface Machine {
  /** Generators of scripts, by a name that a report shows. */
  themes: Readonly<Record<string, fc.Arbitrary<Script>>>;
  /** Actions that dispatch a task. */
  dispatching: ReadonlySet<string>;
  actor(context: ScenarioContext): Actor;
  /** Returns the violation if no order of events explains the responses; undefined if an order explains them. */
  explain(turns: readonly Turn[], rules: Rules): (Violation & { turn: number }) | undefined;
}

type Part = string | fc.Arbitrary<string | Script>;

/** Generates a script as a sequence of parts. A part is a fixed action, or a generator of an action or a script. */
export function sequence(...parts: Part[]): fc.Arbitrary<Script> {
  const drawn = parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part));
  return fc.tuple(...drawn).map((words) => words.flat());
}

/** Generates a script of one of the actions, or an empty script. */
export function optional(...words: string[]): fc.Arbitrary<Script> {
  return fc.constantFrom(...words.map((word) => [word]), []);
}

/** Generates a script of all the actions in random order. */
export function aftermath(...words: string[]): fc.Arbitrary<Script> {
  return fc.shuffledSubarray(words, { minLength: words.length });
}

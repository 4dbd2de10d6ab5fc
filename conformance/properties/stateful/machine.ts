import type * as fc from 'fast-check';
import type { ScenarioContext } from '../../core/scenario.ts';
import type { Actor } from './actor.ts';
import type { Violation, Rules } from './model.ts';
import type { Turn } from './moment.ts';
import type { Script } from './script.ts';

/** One kind of resource with a life cycle: its scripts, and the model that explains their responses. */
export interface Machine {
  /** Generators of scripts, by a name that a report shows. */
  themes: Readonly<Record<string, fc.Arbitrary<Script>>>;
  /** Actions that dispatch a task. */
  dispatching: ReadonlySet<string>;
  actor(context: ScenarioContext): Actor;
  /** Returns the violation if no order of events explains the responses; undefined if one does. */
  explain(turns: readonly Turn[], rules: Rules): (Violation & { turn: number }) | undefined;
}

import type * as fc from 'fast-check';
import type { ScenarioContext } from '../../core/scenario.ts';
import type { Actor } from './actor.ts';
import type { Violation, Rules } from './model.ts';
import type { Turn } from './moment.ts';
import type { Script } from './script.ts';

/** One kind of thing that has a life cycle: the scripts that are played with it and what explains their answers. */
export interface Machine {
  /** What is drawn from, by a name that a report shows. */
  themes: Readonly<Record<string, fc.Arbitrary<Script>>>;
  /** Actions that dispatch a task. */
  dispatching: ReadonlySet<string>;
  actor(context: ScenarioContext): Actor;
  /** Why no order of events explains the answers; undefined where one does. */
  explain(turns: readonly Turn[], rules: Rules): (Violation & { turn: number }) | undefined;
}

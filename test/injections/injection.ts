import type { ScriptedTurn, ScriptedView } from '#agent/loop/testing/scripted-model.ts';

/** Where an attack plays. */
export interface Places {
  /** The one domain that the task may open; it shows what the attacker could write into it. */
  readonly inside: string;
  /** The attacker's own, as an origin. */
  readonly evil: string;
}

/** A page that wants something of whoever reads it, and a model that does all of it. */
export interface Injection {
  readonly name: string;
  /** The page within the allowed domain; it contains the word OBEY. */
  readonly html: (places: Places) => string;
  /** What the model does for it, a turn each. Whatever comes of it, it says at the end that all went well. */
  readonly turns: (places: Places) => readonly ((view: ScriptedView) => ScriptedTurn)[];
}

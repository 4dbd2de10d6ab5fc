import type { ScriptedTurn, ScriptedView } from '#agent/loop/testing/scripted-model.ts';

/** URLs that an attack uses. */
export interface Places {
  /** The only domain that the task may open; it shows text of the attacker. */
  readonly inside: string;
  /** Origin of the attacker. */
  readonly evil: string;
}

/** A page with prompt injection, and a scripted model that follows all injected instructions. */
export interface Injection {
  readonly name: string;
  /** Returns the HTML of the page within the allowed domain. The page contains the word INJECTED. */
  readonly html: (places: Places) => string;
  /**
   * The turns of the model, in order. After the last turn the model reports success, whatever the turns have achieved.
   */
  readonly turns: (places: Places) => readonly ((view: ScriptedView) => ScriptedTurn)[];
}

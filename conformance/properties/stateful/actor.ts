import type { Moment } from './moment.ts';

/** Executes the actions of a script on the target, for one resource and its related resources. */
export interface Actor {
  /** Creates the resource. Throws NotTestable if the creation was refused. */
  begin(word: string): Promise<Moment>;
  /**
   * Executes one action. Returns several moments if the action polls, and an empty list if the target does not offer
   * the operation.
   */
  act(action: string, word: string): Promise<Moment[]>;
  /** Reads the resource once; returns an empty list if the target offers no read. */
  look(word: string): Promise<Moment[]>;
  /**
   * Returns true if the end of the resource need not be awaited any more: the last shown state is terminal, the
   * resource was deleted, or a browser could not be read.
   */
  isOver(): boolean;
  /** Ends every resource that the script has created. Does not throw if the target refuses. */
  leave(): Promise<void>;
}

import type { JsonObject } from '#lib/json.ts';
import { type OwnerColumns, noOwner } from '#store/queries/workers.ts';
import type { Command } from './command.ts';

/** What a command came to; empty where there is nothing to say. */
export type Answer = JsonObject;

/** Who works on what among the processes of one service. */
export interface Owners {
  /** This process among others; null where it is the only one, and everything is its own. */
  readonly self: string | null;
  /** The columns of what this process takes. */
  own(): OwnerColumns;
  /** The columns of something new: whoever is to own it. */
  next(): Promise<OwnerColumns>;
  /** Whether somebody else owns it. */
  isElsewhere(row: Pick<OwnerColumns, 'owner'>): boolean;
  /**
   * Has it done by its owner, and here where that is this process or nobody. Settles when it is done. An owner that dies meanwhile is
   * waited for until it owns nothing. Rejects with what the owner met, and with Unavailable after a minute without an answer.
   */
  perform(command: Command, here: () => Promise<Answer>): Promise<Answer>;
  /**
   * Tells the owner, who does it when it hears of it. Here where that is this process. What nobody owns is found by the workers themselves,
   * and so is what an owner was never told.
   */
  tell(command: Command, here: () => void): Promise<void>;
}

/** The only process of its service. */
export const alone: Owners = {
  self: null,
  own: () => noOwner,
  next: async () => noOwner,
  isElsewhere: () => false,
  perform: (_command, here) => here(),
  tell: async (_command, here) => here(),
};

import type { Moment } from './moment.ts';

/** Does on the target what the words of a script say, to one thing and what belongs to it. */
export interface Actor {
  /** Makes the thing. Throws NotTestable where that was refused. */
  begin(word: string): Promise<Moment>;
  /** One action; several moments where it waits, none where the target does not offer it. */
  act(action: string, word: string): Promise<Moment[]>;
  /** One look; none where the target offers no look at it. */
  look(word: string): Promise<Moment[]>;
  /** True when nothing of it works any more, as last seen. */
  isOver(): boolean;
  /** Ends whatever the script has made; never throws for a refusal. */
  leave(): Promise<void>;
}

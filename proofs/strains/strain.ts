/** Something that a service has to bear for a moment. */
export interface Strain {
  readonly name: string;
  /** One line for people: what is done. */
  readonly what: string;
  /** Statuses that a request may be refused with while it lasts. */
  readonly refusals: readonly number[];
  /** How long it lasts, in milliseconds, from the least to the most; both 0 for what happens at once. */
  readonly lastsMs: readonly [number, number];
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Gives back what it took of the machine. */
  remove(): void;
}

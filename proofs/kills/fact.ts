import type { CallService } from '../service/call-service.ts';

/** Something that the service has acknowledged, and that has to be so from then on. */
export interface Fact {
  /** What it is, as `v4 run`. */
  readonly kind: string;
  /** What it is about, for people: kind and id. */
  readonly name: string;
  /** Reads it back; what is wrong with it now, a sentence each. What was read once counts from then on too. */
  check(call: CallService): Promise<string[]>;
  /** Whether it has ended, as far as it was read; of what does not end always true. */
  hasEnded(): boolean;
}

import type { Redactor } from './redactor.ts';
import type { Secret } from './secret.ts';

/** What a guarded tab works with. */
export interface TabGuard {
  /** What may be typed. */
  readonly secrets: readonly Secret[];
  readonly redactor: Redactor;
  /** Called before a value is typed: from now on the page may show it. */
  readonly onTyped: () => void;
  /** Whether a value was typed into the browser before: its pages may show it. */
  readonly hasTyped: () => boolean;
}

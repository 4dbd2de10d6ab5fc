/** How one task is to be worked on, as its creator chose; an absent member leaves it to the agent. */
export interface TaskSettings {
  /** A complete address; its page is open when the agent begins. */
  readonly startUrl?: string;
  /** Steps that the task may take, at least 1. */
  readonly maxSteps?: number;
  /** Domains that pages may come from (see `isAllowedAddress`). */
  readonly allowedDomains?: readonly string[];
  /** Further instructions for a model. */
  readonly systemPromptExtension?: string;
}

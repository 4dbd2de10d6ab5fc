import type { JsonObject } from '#lib/json.ts';
import type { TaskSettings } from '#agent/task-settings.ts';

/** What a task keeps for itself, besides the settings of its session; every value has been validated. */
export interface RunSettings extends TaskSettings {
  /** Labels of the caller. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** JSON Schema of this task's output; it goes before the session's. */
  readonly outputSchema?: JsonObject;
  /** A second opinion on the result is wanted; what the judge is to know, null for nothing. */
  readonly judge?: { readonly context: string | null };
  /** Whether a browser that is started for it leaves through a custom proxy, which is itself never stored. */
  readonly usesCustomProxy?: boolean;
}

/** The settings of a run as the database holds them; {} where there are none. */
export function runSettingsOf({ settings }: { readonly settings: string | null }): RunSettings {
  if (settings === null) return {};
  // Written from this type and from nothing else.
  const value: RunSettings = JSON.parse(settings);
  return value;
}

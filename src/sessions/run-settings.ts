import type { TaskSettings } from '#agent/agent.ts';
import type { Judgement } from '#agent/output/ask-for-judgement.ts';
import { safeError } from '#agent/redaction/redactor.ts';
import { type Secret } from '#agent/redaction/secrets.ts';
import type { CustomProxy } from '#browsers/index.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Vault } from '#lib/vault.ts';
import { sealedRunSecrets } from '#store/queries/runs.ts';
import type { EngineState } from './engine-deps.ts';
import type { Sandbox } from './sandboxes.ts';

/** Settings of a task besides those of its session; every value has been validated. */
export interface RunSettings extends TaskSettings {
  /** Labels of the caller. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** JSON Schema of this task's output; takes precedence over the output schema of the session. */
  readonly outputSchema?: JsonObject;
  /**
   * Request for a judgement of the result; absent if the task requests none. `context` is a text for the judge, or
   * null. `model` is the model that judges, by default the model of the run.
   */
  readonly judge?: { readonly context: string | null; readonly model?: string };
  /** Whether browsers that are started for the task use a custom proxy; the proxy itself is never stored. */
  readonly usesCustomProxy?: boolean;
  /** Whether the agent may propose scheduled tasks. @defaultValue false */
  readonly mayProposeSchedules?: boolean;
  /** Whether the agent may read skills. @defaultValue true */
  readonly usesSkills?: boolean;
}

/** Parses the settings of a run; {} without settings. */
export function parseRunSettings({ settings }: { readonly settings: string | null }): RunSettings {
  if (settings === null) return {};
  // The stored text was serialised from a value of this type.
  const value: RunSettings = JSON.parse(settings);
  return value;
}

/** Encrypts the secrets of a run for its row, which keeps them until the run ends. Returns null without secrets. */
export function sealSecrets(
  { vault }: Pick<EngineState, 'vault'>,
  runId: string,
  secrets: readonly Secret[],
): string | null {
  return secrets.length === 0 ? null : vault.seal(JSON.stringify(secrets), runId);
}

/**
 * Decrypts the secrets of a run that has not ended; empty without secrets. Throws when the decryption fails, for
 * example with the key of another data folder.
 */
export async function runSecrets(engine: EngineState, runId: string): Promise<readonly Secret[]> {
  const sealed = await sealedRunSecrets(engine.db, runId);
  if (sealed === null) return [];
  try {
    // The stored text was serialised from a value of this type.
    const secrets: Secret[] = JSON.parse(engine.vault.open(sealed, runId));
    return secrets;
  } catch (error) {
    throw new Error('the secrets of the task cannot be opened any more: create the task again', { cause: error });
  }
}

/** Returns an error of a sandbox with secrets redacted, for storage and logs. */
export function shownError({ known }: Sandbox, error: unknown): Error {
  if (known.size > 0) return safeError(error, known.redactor());
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * Encrypts a custom proxy for the row of a session or browser; null without a proxy. `owner` is the id of this row, and
 * must be given again for the decryption.
 */
export function sealProxy(vault: Vault, owner: string, proxy: CustomProxy | null): string | null {
  return proxy === null ? null : vault.seal(JSON.stringify(proxy), `proxy ${owner}`);
}

/**
 * Decrypts the custom proxy from the row of a session or browser with the id `owner`; null without a proxy. Throws when
 * the decryption fails: a run never continues without its requested proxy.
 */
export function openProxy(vault: Vault, owner: string, sealed: string | null): CustomProxy | null {
  if (sealed === null) return null;
  // The stored text was serialised from a value of this type.
  const proxy: CustomProxy = JSON.parse(vault.open(sealed, `proxy ${owner}`));
  return proxy;
}

/** Parses the judgement of a run; null without one. */
export function parseJudgement({ judgement }: { readonly judgement: string | null }): Judgement | null {
  if (judgement === null) return null;
  // The stored text was serialised from a value of this type.
  const value: Judgement = JSON.parse(judgement);
  return value;
}

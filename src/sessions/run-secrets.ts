import { type Secret, safeError } from '#agent/redaction/index.ts';
import { sealedSecretsOf } from '#store/queries/runs.ts';
import type { EngineState } from './parts.ts';
import type { Sandbox } from './sandboxes.ts';

/** The secrets of a run as its row keeps them until it ends: sealed, for this run alone. Null for none. */
export function sealSecrets(
  { vault }: Pick<EngineState, 'vault'>,
  runId: string,
  secrets: readonly Secret[],
): string | null {
  return secrets.length === 0 ? null : vault.seal(JSON.stringify(secrets), runId);
}

/** The secrets of a run that has not ended. Throws where they cannot be opened, for example with another data folder's key. */
export async function secretsOf(engine: EngineState, runId: string): Promise<readonly Secret[]> {
  const sealed = await sealedSecretsOf(engine.db, runId);
  if (sealed === null) return [];
  try {
    // Written from this type and from nothing else.
    const secrets: Secret[] = JSON.parse(engine.vault.open(sealed, runId));
    return secrets;
  } catch (error) {
    throw new Error('the secrets of the task cannot be opened any more: create the task again', { cause: error });
  }
}

/** What went wrong in a sandbox, as it may be kept and logged. */
export function shownError({ known }: Sandbox, error: unknown): Error {
  if (known.size > 0) return safeError(error, known.redactor());
  return error instanceof Error ? error : new Error(String(error));
}

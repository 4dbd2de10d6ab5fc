import { type Command, Option } from 'commander';
import type { WorkerRole } from '#store/schema.ts';

/** What the flags about further processes of `svc serve` are read to. */
export interface ScaleFlags {
  readonly role?: WorkerRole;
  readonly secretFile?: string;
}

/** Whether there are other processes of the same service. */
export interface ScaleOptions {
  /** What this one does; null where it is the only one. */
  readonly role: WorkerRole | null;
  /** File of the secret that all processes share; null for secrets of the data folder. */
  readonly secretFile: string | null;
}

/** Adds the flags about further processes. */
export function addScaleFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--role <role>',
        'what this process does of a service of several on one PostgreSQL: answer requests (api), run sandboxes (worker), or both (docs/guides/run.md; default: the service is this process alone)',
      ).choices(['api', 'worker', 'all']),
    )
    .option(
      '--secret-file <file>',
      'what addresses are signed and secrets sealed with: at least 32 random bytes, the same file for every process (default: made in the data folder)',
    );
}

/** The options that those flags stand for. */
export function scaleOptionsOf({ role, secretFile }: ScaleFlags): ScaleOptions {
  return { role: role ?? null, secretFile: secretFile ?? null };
}

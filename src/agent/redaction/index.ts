/*
 * Secrets of tasks: values that are typed into pages and never shown to anybody. The agent sees names; what it reads, does and
 * answers passes through here, where each value is replaced by the placeholder of its name. Called by the engine for each run.
 * Must not store anything: values lie sealed in the row of their run, which forgets them when it ends.
 */
export { guardWorld } from './guard-world.ts';
export { hideInTask } from './hide-in-task.ts';
export { type KnownSecrets, createKnownSecrets } from './known-secrets.ts';
export { type Redactor, createRedactor } from './redactor.ts';
export { safeError } from './safe-error.ts';
export type { Secret } from './secret.ts';

/*
 * Secrets of tasks: values that are typed into pages and never shown to anybody. The agent sees names; what it reads, does and
 * answers passes through here, where each value is replaced by the placeholder of its name. Called by the engine for each run.
 * Must not store anything: values lie sealed in the row of their run, which forgets them when it ends.
 */
export { guardWorld } from './guard-world.ts';
export { createKnownSecrets, hideInTask, type KnownSecrets } from './hide-in-task.ts';
export { createRedactor, type Redactor, safeError } from './redactor.ts';
export type { Secret } from './secrets.ts';

/*
 * Secrets of tasks: values that are typed into pages and never shown to anybody. The agent sees names; what it reads, does and
 * answers passes through here, where each value is replaced by the placeholder of its name. Called by the engine for each run.
 * What people see of a session's browser passes through here too (guard-view.ts).
 * Must not store anything: values lie sealed in the row of their run, which forgets them when it ends.
 */
export { type AccessTokens, type TokenRow, createAccessTokens } from './access-tokens.ts';
export { guardSeat, guardViewer } from './guard-view.ts';
export { guardWorld } from './guard-world.ts';
export { type Redactor, createRedactor, hideInTask } from './redactor.ts';
export { safeError } from './safe-error.ts';
export { sealedStreamExtra } from './sealed-stream.ts';
export type { Secret } from './secret.ts';
export { type Vault, createVault } from './vault.ts';

/**
 * What a run is made of: the target and its file, the client that records every exchange, the ledger of what was created,
 * checks, scenarios, seeds and replay words. Used by checks/, scenarios/ and the runner. It sends and keeps; it never
 * decides what is legal, and it keeps no state outside a run.
 */
export type { Exchange } from './exchange.ts';
export { parseJson } from './json.ts';
export type { LedgerEntry } from './ledger.ts';
export { type ReplayToken, readReplayToken, targetDigest } from './replay-token.ts';
export { type SpendLevel, spendLevels } from './spend.ts';
export { SuiteError, type SuiteErrorCode, type SuiteErrorText } from './suite-error.ts';
export { defaultTarget } from './default-target.ts';
export { type TargetSource, parseTarget, targetUse } from './parse-target.ts';
export { targetTemplate } from './target-template.ts';
export { type Generation, type Target, generations } from './target.ts';

/**
 * The vocabulary of the suite: target file, exchange, check, scenario, report, requirements, documents, schemas, and
 * the interfaces of a scenario. Every folder of the suite imports this folder. It imports no other folder of the suite,
 * sends no request, judges no target, and keeps no state outside a run.
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

/*
 * `svc spec diff`: what differs between two OpenAPI documents, and which differences break a client.
 * Called by the command alone. change-kinds.ts is the judgement, as data; the compare-*.ts files only find what changed, in
 * which direction it travels, and where. Wording (descriptions, examples, order) is no change.
 * Must not read anything but what it is given: no git, no network, no table of spec/rules.
 */
export { type Change, judge } from './change.ts';
export { compareDocuments } from './compare-documents.ts';
export { loadDocuments, notComparable } from './load-documents.ts';

/**
 * Generators of inputs, one per file. Those that checks call make what is invalid by the contract itself, never what is merely
 * unknown: where the contract leaves a list open or a reader free, the value is left out. Those that scenarios call make what is
 * unusual and legal, and `draw` takes one value of them.
 */
export { draw } from './draw.ts';
export { labels } from './labels.ts';
export { malformedUuid } from './malformed-uuid.ts';
export { runOptions } from './run-options.ts';
export { sessionOptions } from './session-options.ts';
export { taskOptions } from './task-options.ts';
export { unlistedCountry } from './unlisted-country.ts';
export { unlistedWord } from './unlisted-word.ts';
export { everyUnusualWord, unusualText } from './unusual-text.ts';
export { upperCaseCountry } from './upper-case-country.ts';
export { wrongType, type MemberType } from './wrong-type.ts';

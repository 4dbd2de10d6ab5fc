/**
 * Generators of inputs that are invalid by the contract itself, one per file. Called by checks only. A generator never makes
 * what is merely unknown: where the contract leaves a list open or a reader free, the value is left out.
 */
export { malformedUuid } from './malformed-uuid.ts';
export { unlistedCountry } from './unlisted-country.ts';
export { unlistedWord } from './unlisted-word.ts';
export { upperCaseCountry } from './upper-case-country.ts';
export { wrongType, type MemberType } from './wrong-type.ts';

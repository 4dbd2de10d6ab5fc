/** The number of a row of spec/rules/limits.yaml, from where the backend has always asked for it. */
export { limitOf } from './limit-of.ts';

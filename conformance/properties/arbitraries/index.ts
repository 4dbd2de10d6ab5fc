/**
 * Generators of inputs, which send nothing and draw only from their seed. Checks use the generators of invalid values:
 * values that the contract forbids. A value that is merely unknown is not generated where the contract leaves the list
 * of values open. Scenarios use the generators of unusual legal values. `draw` returns one value of a generator.
 */
export { malformedUuid } from './options.ts';
export { draw, labels, runOptions, sessionOptions, taskOptions } from './options.ts';
export { everyUnusualWord, unusualText } from './unusual-text.ts';

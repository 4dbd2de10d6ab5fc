/**
 * Generators of inputs. Checks use the generators of invalid values: values that the contract itself forbids. A value that is
 * only unknown is left out, because the contract leaves that list open. Scenarios use the generators of unusual legal values;
 * `draw` takes one value of a generator. A generator sends nothing and draws only from its seed.
 */
export { malformedUuid } from './options.ts';
export { draw, labels, runOptions, sessionOptions, taskOptions } from './options.ts';
export { everyUnusualWord, unusualText } from './unusual-text.ts';

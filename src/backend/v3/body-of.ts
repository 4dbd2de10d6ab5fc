import type { components } from '#generated/v3.ts';
import { type BodyOf, createBodyOf } from '../shared/read-body.ts';

/** Reads the body of a V3 request. */
export const bodyOf: BodyOf<components['schemas']> = createBodyOf();

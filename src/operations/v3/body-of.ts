import type { components } from '#generated/v3.ts';
import { type BodyOf, createBodyOf } from '../common/read-body.ts';

/** Reads the body of a V3 request. */
export const bodyOf: BodyOf<components['schemas']> = createBodyOf();

import type { components } from '#generated/v2.ts';
import { type BodyOf, createBodyOf } from '../common/read-body.ts';

/** Reads the body of a V2 request. */
export const bodyOf: BodyOf<components['schemas']> = createBodyOf();

import type { components } from '#generated/v4.ts';
import { type BodyOf, createBodyOf } from '../common/read-body.ts';

/** Reads the body of a V4 request. */
export const bodyOf: BodyOf<components['schemas']> = createBodyOf();

import type { ProfileChanges } from '#accounts/profiles/index.ts';
import { type BodyOf, createBodyOf } from '../read-body.ts';

/** Reads the body of a request that creates or changes a profile; {} where there is none. */
export const bodyOf: BodyOf<{ ProfileRequest: ProfileChanges }> = createBodyOf();

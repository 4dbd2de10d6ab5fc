import type { components } from '#generated/v3.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { FollowUp } from '#sessions/follow-up.ts';
import type { SessionRow } from '#store/schema.ts';

/** The body of POST /sessions after parsing. */
export type CreateBody = components['schemas']['CreateSession'];

/** What a POST /sessions comes to. */
export type CreateCommand =
  | { readonly kind: 'create'; readonly wanted: NewSession }
  | {
      readonly kind: 'followUp';
      readonly session: SessionRow;
      readonly wanted: FollowUp;
      /** Aborted when the client disconnects. */
      readonly clientGone: AbortSignal;
    };

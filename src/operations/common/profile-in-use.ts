import { type Problem, problem } from '#contract/problems.ts';
import type { SessionRow } from '#store/sessions.ts';
import type { Caller } from './caller.ts';

/** Refuses a further task for a session whose profile somebody else has taken meanwhile; its browser could not start. */
export async function checkProfileFree(session: SessionRow, { engine }: Caller): Promise<Problem | null> {
  const holder = await engine.profileHolder(session);
  return holder === null ? null : problem('profile_in_use', { holder });
}

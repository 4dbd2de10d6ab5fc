import { type Problem, renderProblem } from '#domain/problems.ts';
import type { WireReply } from './wire.ts';

/** A problem as an answer. */
export function refuse(found: Problem): WireReply {
  return renderProblem(found);
}

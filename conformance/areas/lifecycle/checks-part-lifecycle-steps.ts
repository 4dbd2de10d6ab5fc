import { isLegalStep as isLegal, machineOf } from '../../properties/lifecycle/index.ts';

const session = machineOf('session');

/** States after which nothing follows. */
export const endStates: readonly string[] = session.states.filter(({ kind }) => kind === 'end').map(({ name }) => name);

/** True when a session can be seen in `to` after it was seen in `from`; a poll may have missed states between them. */
export function isLegalStep(from: string, to: string): boolean {
  return isLegal(session, { from, to });
}

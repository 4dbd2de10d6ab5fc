import type { CdpCallName, CdpOutcome } from '../core/cdp.ts';
import type { RecordedEvent } from '../core/recorder.ts';
import type { Wanted } from './turns.ts';

/** Recorded members that identify a request. */
export interface NamedRequest {
  sentBy: string;
  operation: string;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** Returns the exact name of a request, and the name of its kind. */
export function requestNames({ sentBy, operation, method, url, headers, body }: NamedRequest): Wanted {
  const kind = JSON.stringify(['exchange', sentBy, operation, method]);
  // The body comes last and as it is: it is most of what is named, and to write it as JSON would read all of it again.
  return { kind, exact: `${kind}${JSON.stringify([url, headers, body === undefined])}${body ?? ''}` };
}

/** Returns the names that identify a call on a connection; an attachment belongs to no connection yet. */
export function callNames(
  { sentBy, client }: Pick<CdpOutcome, 'sentBy' | 'client'>,
  call: { connection: number; call: CdpCallName; words: readonly string[] },
): Wanted {
  const kind = ['cdp', sentBy, client, call.call, call.call === 'connect' ? null : call.connection];
  return { kind: JSON.stringify(kind), exact: JSON.stringify([...kind, call.words]) };
}

/** Returns the names by which a playback finds a recorded event. */
export function namesOf(happening: RecordedEvent): Wanted | undefined {
  if (happening.kind === 'cdp') return callNames(happening.outcome, happening.outcome);
  if (happening.kind === 'end') return undefined;
  const { sentBy, operation, request } = happening.exchange;
  return requestNames({ sentBy, operation, ...request });
}

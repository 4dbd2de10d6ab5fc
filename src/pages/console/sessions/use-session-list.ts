import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleOutcome, ConsoleSessions } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { useListPoll } from '../api/hooks.ts';

const everyMs = 4_000;
const pageSize = 30;
/** What the service gives at most. */
const sizeMax = 480;

/** A generation of the API whose sessions are listed. */
export type Generation = 'v2' | 'v3' | 'v4';

/** Search and filter of a list. */
export interface Selection {
  readonly search: string;
  readonly outcome: ConsoleOutcome | '';
}

/** The sessions of a list. */
export interface SessionListing {
  /** undefined before the first answer; the rows of the selection before until those of a new one are there. */
  readonly listed: ConsoleSessions | undefined;
  readonly fault: Error | null;
  /** Loads the next page; null on the last page. */
  readonly more: (() => void) | null;
}

/** Reads the newest sessions of a generation that match a selection, again and again while they are shown. */
export function useSessionList(generation: Generation, { search, outcome }: Selection): SessionListing {
  const { api } = useSession();
  const [size, setSize] = useState(pageSize);
  const query = new URLSearchParams({ generation, limit: String(size) });
  if (search !== '') query.set('search', search);
  if (outcome !== '') query.set('outcome', outcome);
  const path = `console/api/sessions?${query.toString()}`;
  const { value, fault } = useListPoll(path, () => api.call<ConsoleSessions>('GET', path), everyMs);
  const last = useRef(value);
  useEffect(() => {
    if (value !== undefined) last.current = value;
  }, [value]);
  const listed = value ?? last.current;
  const hasMore = listed?.hasMore === true && size < sizeMax;
  return { listed, fault, more: hasMore ? () => setSize(size + pageSize) : null };
}

import { jsonText } from '../core/safe-text.ts';
import { findSecrets } from './find-secrets.ts';
import type { HarEntry } from './har.ts';
import { harEntry } from './har-entry.ts';
import { type Recording, recordingSchema } from './recording.ts';
import { createReplace } from './replace-secrets.ts';
import { type TurnedOutcome, socketEntries } from './socket-entries.ts';

/** A recording as a HAR 1.2. Whatever opens something is a placeholder in it, the same one wherever the same value stands. */
export function renderHar(recording: Recording): string {
  const replace = createReplace(findSecrets(recording));
  const entries = entriesOf(recording).map((entry) => mapTexts(entry, replace));
  const { startedAt, durationMs, options, target, withOtherKey, headers, stamp, secrets, totals, beyond } = recording;
  const ends = recording.happenings.flatMap((one, turn) => (one.kind === 'end' ? [{ turn, ...one.end }] : []));
  const run = { startedAt, durationMs, options, target, withOtherKey, headers, stamp, secrets, totals, beyond, ends };
  const log = {
    version: '1.2',
    creator: { name: 'svc check', version: recordingSchema },
    entries,
    _svc: { schema: recordingSchema, ...mapTexts(run, replace) },
  };
  return jsonText({ log }, 1);
}

function entriesOf({ startedAt, happenings }: Recording): HarEntry[] {
  const beginMs = Date.parse(startedAt);
  const outcomes: TurnedOutcome[] = [];
  const entries: HarEntry[] = [];
  for (const [turn, one] of happenings.entries()) {
    if (one.kind === 'exchange') entries.push(harEntry(one.exchange, { turn, beginMs }));
    if (one.kind === 'cdp') outcomes.push({ turn, outcome: one.outcome });
  }
  return [...entries, ...socketEntries(outcomes, beginMs)];
}

/** A copy in which every text is replaced. */
function mapTexts<T>(value: T, replace: (text: string) => string): T {
  const copy = (item: unknown): unknown => {
    if (typeof item === 'string') return replace(item);
    if (Array.isArray(item)) return item.map((one: unknown) => copy(one));
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([name, one]: [string, unknown]) => [name, copy(one)]));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become texts, and nothing else is changed
  return copy(value) as T;
}

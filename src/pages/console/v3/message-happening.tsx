import type { V3Message } from '../api/types.ts';
import { ownPath } from '../format/own-path.ts';
import { lapses } from '../format.ts';
import { ClockTime } from '../parts/clock-time.tsx';
import type { Happening } from '../tasks/timeline.tsx';
import { lineOf, messageWords } from './message-words.ts';

/** A message as something that happened: what was asked for in full, of everything else its one line. */
export function messageHappening(
  message: V3Message,
  before: V3Message | undefined,
  renew: () => Promise<string | null>,
): Happening {
  const { id, createdAt, screenshotUrl } = message;
  const isStep = message.role !== 'human' && message.type !== 'completion';
  const [lapse = null] = isStep ? lapses(before?.createdAt ?? null, [createdAt]) : [];
  return {
    key: id,
    mark: <ClockTime at={createdAt} />,
    lapse,
    text: messageWords(message),
    url: null,
    isMain: true,
    shot: screenshotUrl ? { address: ownPath(screenshotUrl, 2), name: `Picture of: ${lineOf(message)}`, renew } : null,
  };
}

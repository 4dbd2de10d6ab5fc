import type { V3Message } from '../api/types.ts';
import { ownPath } from '../format/own-path.ts';
import { ClockTime } from '../parts/clock-time.tsx';
import type { Happening } from '../steps/timeline.tsx';
import { lineOf, messageWords } from './message-words.ts';

/** A message as something that happened: what was asked for in full, of everything else its one line. */
export function messageHappening(message: V3Message, renew: () => Promise<string | null>): Happening {
  const { id, createdAt, screenshotUrl } = message;
  return {
    key: id,
    mark: <ClockTime at={createdAt} />,
    text: messageWords(message),
    url: null,
    isMain: true,
    shot: screenshotUrl ? { address: ownPath(screenshotUrl, 2), name: `Picture of: ${lineOf(message)}`, renew } : null,
  };
}

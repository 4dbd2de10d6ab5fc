import type { Exchange } from '../../core/exchange.ts';
import type { Drive } from '../../core/scenario.ts';

/** Changes of a V4 session's title, each with a look at the session afterwards. */
export interface SessionEdits {
  titled: Edit;
  /** A title that is one character too long. */
  tooLong: Edit;
  cleared: Edit;
}

/** One change and what it left. */
export interface Edit {
  answer: Exchange;
  after: Exchange;
}

/** The title that is given. */
export const givenTitle = 'A title of the suite';
/** Most characters of a title. */
const titleMax = 255;

/** Changes the title of a session three times. */
export async function editSession(drive: Drive, id: string): Promise<SessionEdits> {
  const edit = async (title: string | null, invalid = false): Promise<Edit> => ({
    answer: await drive.operations.call('v4.updateSession', { path: [id], body: { title }, invalid }),
    after: await drive.operations.call('v4.getSession', { path: [id] }),
  });
  const titled = await edit(givenTitle);
  const tooLong = await edit('t'.repeat(titleMax + 1), true);
  return { titled, tooLong, cleared: await edit(null) };
}

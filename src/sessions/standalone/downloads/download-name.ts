import { storedName } from '#accounts/workspaces/index.ts';

/** What a file is called whose own name has nothing that can be kept. */
const nameless = 'download';

/** The name of a download as one path part that is safe on every system. */
export function downloadName(name: string): string {
  return storedName(name) ?? nameless;
}

import { files } from './entries/files.ts';
import { mails } from './entries/mails.ts';
import { mocks } from './entries/mocks.ts';
import { models } from './entries/models.ts';
import { pages } from './entries/pages.ts';
import { requests } from './entries/requests.ts';
import { sockets } from './entries/sockets.ts';
import { otherBodies, taskBodies } from './entries/task-bodies.ts';
import type { EntryPoint } from './entry-point.ts';

/** Every place at which a service takes foreign input. */
export const entryPoints: readonly EntryPoint[] = [
  ...taskBodies,
  ...otherBodies,
  ...requests,
  ...files,
  ...mails,
  ...models,
  ...mocks,
  ...sockets,
  ...pages,
];

import { billing } from './support/billing.ts';
import { describeClient } from './support/describe-client.ts';
import { profiles } from './support/profiles.ts';
import { browserFiles } from './v2/browser-files.ts';
import { files } from './v2/files.ts';
import { purge } from './v2/purge.ts';
import { sessions } from './v2/sessions.ts';
import { shares } from './v2/shares.ts';
import { tasks } from './v2/tasks.ts';

describeClient('v2', { tasks, sessions, shares, files, browserFiles, purge, profiles, billing });

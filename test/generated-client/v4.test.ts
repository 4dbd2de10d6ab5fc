import { describeClient } from './support/describe-client.ts';
import { profiles } from './support/profiles.ts';
import { attachments } from './v4/attachments.ts';
import { browsers } from './v4/browsers.ts';
import { downloads } from './v4/downloads.ts';
import { purge } from './v4/purge.ts';
import { runs } from './v4/runs.ts';
import { sessions } from './v4/sessions.ts';
import { workspaces } from './v4/workspaces.ts';

describeClient('v4', { runs, attachments, sessions, browsers, downloads, workspaces, purge, profiles });

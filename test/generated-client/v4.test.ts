import { describeClient } from './support/describe-client.ts';
import { profiles } from './support/profiles.ts';
import { browsers } from './v4/browsers.ts';
import { runs } from './v4/runs.ts';
import { sessions } from './v4/sessions.ts';
import { workspaces } from './v4/workspaces.ts';

describeClient('v4', { runs, sessions, browsers, workspaces, profiles });

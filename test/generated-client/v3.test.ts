import { billing } from './support/billing.ts';
import { describeClient } from './support/describe-client.ts';
import { profiles } from './support/profiles.ts';
import { sessions } from './v3/sessions.ts';
import { workspaces } from './v3/workspaces.ts';

describeClient('v3', { sessions, workspaces, profiles, billing });

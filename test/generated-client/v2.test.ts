import { billing } from './support/billing.ts';
import { describeClient } from './support/describe-client.ts';
import { profiles } from './support/profiles.ts';
import { sessions } from './v2/sessions.ts';
import { tasks } from './v2/tasks.ts';

describeClient('v2', { tasks, sessions, profiles, billing });

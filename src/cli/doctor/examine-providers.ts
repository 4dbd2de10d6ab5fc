import { providersFromEnvironment } from '#agent/providers/index.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { Finding } from './finding.ts';
import { messageOf } from './message-of.ts';

const subject = 'model providers';

/** Whose models serve would ask with the keys of an environment; nobody is asked anything, and no key is shown. */
export function examineProviders(environment: Readonly<Record<string, string | undefined>>): Finding {
  try {
    const found = [...providersFromEnvironment(defaultRules.providers, environment).keys()];
    const none =
      'no key in the environment: the offline planner works, unless --providers or keys of projects say more';
    return { ok: true, subject, text: found.length === 0 ? none : `keys for ${found.join(', ')}` };
  } catch (error) {
    return { ok: false, subject, text: messageOf(error) };
  }
}

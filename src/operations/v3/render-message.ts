import type { components } from '#generated/v3.ts';
import { type JsonValue, isJsonObject } from '#lib/json.ts';
import type { Message } from '#accounts/messages/index.ts';
import type { Caller } from '../common/caller.ts';

/** The role column of the table holds only what its schema lets through; the answer is checked against its schema once more. */
type Rendered = Omit<components['schemas']['Message'], 'role'> & { role: string };

/** The V3 record of a message (companion 6.4). */
export function renderMessage(message: Message, { rules, addresses }: Caller): Rendered {
  const action = message.event === 'step' ? kindOf(message.data) : null;
  const kind = rules.messages.messages.find(
    ({ event, kinds }) => event === message.event && (kinds === undefined || kinds.some((one) => one === action)),
  );
  if (kind === undefined) throw new Error(`messages: found no row for ${message.event}`);
  return {
    id: message.id,
    sessionId: message.sessionId,
    role: kind.role,
    data: message.data,
    type: kind.type,
    summary: message.summary,
    screenshotUrl: addresses.screenshot(message.screenshotKey),
    hidden: false,
    createdAt: new Date(message.createdAtMs).toISOString(),
  };
}

/** What kind of action a step was, or null when it does not say. */
function kindOf(action: string): string | null {
  const value: JsonValue = JSON.parse(action);
  const kind = isJsonObject(value) ? value['kind'] : undefined;
  return typeof kind === 'string' ? kind : null;
}

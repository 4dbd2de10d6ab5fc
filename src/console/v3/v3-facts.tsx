import type { JSX } from 'preact';
import type { V3Session } from '../api/types.ts';
import { usdOfText } from '../format/money.ts';
import { outcomeWords } from '../format/outcome-words.ts';
import { Facts } from '../parts/facts.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { hashOf } from '../place/parse-place.ts';

/** What is known of a V3 session, and what it has cost by its parts. */
export function V3Facts({ session }: { readonly session: V3Session }): JSX.Element {
  const { workspaceId, maxCostUsd } = session;
  const tokens = (session.totalInputTokens ?? 0) + (session.totalOutputTokens ?? 0);
  return (
    <Facts
      rows={[
        ['Goal', outcomeWords(session.isTaskSuccessful)],
        ['Started', <TimeAgo at={session.createdAt} />],
        ['Model', session.model],
        ['Thinking', session.thinkingLevel],
        ['Steps', String(session.stepCount ?? 0)],
        ['Tokens', tokens.toLocaleString('en')],
        ['Cost', usdOfText(session.totalCostUsd)],
        ['For the model', usdOfText(session.llmCostUsd)],
        ['For the browser', usdOfText(session.browserCostUsd)],
        ['For the proxy', usdOfText(session.proxyCostUsd)],
        ['Ceiling', maxCostUsd && usdOfText(maxCostUsd)],
        ['Country', session.proxyCountryCode],
        ['Mailbox', session.inboxEmail && <span class="mono">{session.inboxEmail}</span>],
        ['Files', workspaceId && <a href={hashOf({ page: 'workspaces', id: workspaceId })}>Workspace</a>],
        ['Id', <span class="mono">{session.id}</span>],
      ]}
    />
  );
}

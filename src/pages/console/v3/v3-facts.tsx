import type { JSX } from 'preact';
import type { ConsoleRun } from '../../../contract/console-messages.ts';
import type { V3Session } from '../api/types.ts';
import { usdOfText } from '../format/money.ts';
import { runSpan } from '../format.ts';
import { Facts } from '../parts/facts.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { costRows, workerWords } from '../tasks/session-detail.ts';
import { hashOf } from '../place.ts';

/** What is known of a V3 session, and what it has cost by its parts. */
export function V3Facts(props: { readonly session: V3Session; readonly runs: readonly ConsoleRun[] }): JSX.Element {
  const { session, runs } = props;
  const latest = runs.at(-1);
  const { workspaceId, maxCostUsd } = session;
  const tokens = (session.totalInputTokens ?? 0) + (session.totalOutputTokens ?? 0);
  return (
    <Facts
      rows={[
        ['Session', session.status.replaceAll('_', ' ')],
        ['Started', <TimeAgo at={session.createdAt} />],
        ['Duration', latest && runSpan(latest)],
        ['Model', workerWords(session.model, runs)],
        ['Thinking', session.thinkingLevel],
        ['Steps', String(session.stepCount ?? 0)],
        ['Tokens', tokens.toLocaleString('en')],
        ['Cost', usdOfText(session.totalCostUsd)],
        ...costRows(runs).slice(0, 2),
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

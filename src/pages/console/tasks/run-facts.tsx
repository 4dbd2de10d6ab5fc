import type { JSX } from 'preact';
import type { ConsoleRun } from '../../../contract/console-messages.ts';
import type { Run } from '../api/types.ts';
import { usdOfText } from '../format/money.ts';
import { runSpan } from '../format.ts';
import { Facts } from '../parts/facts.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { hashOf } from '../place.ts';
import { costRows, workerWords } from './session-detail.ts';

/** What is known of a V4 run; `seen` is undefined before the console's own facts are read. */
export function RunFacts({ run, seen }: { readonly run: Run; readonly seen: ConsoleRun | undefined }): JSX.Element {
  const tokens = (run.totalInputTokens ?? 0) + (run.totalOutputTokens ?? 0);
  const runs = seen === undefined ? [] : [seen];
  return (
    <Facts
      rows={[
        ['Status', <StatusBadge status={run.status} outcome={seen?.outcome} />],
        ['Started', <TimeAgo at={run.createdAt} />],
        ['Duration', seen && runSpan(seen)],
        ['Model', workerWords(run.model, runs)],
        ['Tokens', tokens.toLocaleString('en')],
        ['Cost', usdOfText(run.totalCostUsd)],
        ...costRows(runs),
        ['Files', run.workspaceId && <a href={hashOf({ page: 'workspaces', id: run.workspaceId })}>Workspace</a>],
      ]}
    />
  );
}

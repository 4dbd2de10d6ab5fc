import type { JSX } from 'preact';
import { useSession } from '../api/session-context.ts';
import type { BrowserDetail } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { usePoll } from '../api/hooks.ts';
import { usdOfText } from '../format/money.ts';
import { runSpan } from '../format.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Facts } from '../parts/facts.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { LiveFrame } from '../parts/live-frame.tsx';
import { Recordings } from '../parts/recording.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { browserName } from '../browsers/browser-name.ts';
import { Downloads } from '../browsers/downloads.tsx';

const everyMs = 4_000;

/** One browser: its live view, the address for clients, what it costs and has downloaded. */
export function BrowserView({ id }: { readonly id: string }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault: stopFault } = useAction();
  const path = `api/v4/browsers/${id}`;
  const { value, fault, refresh } = usePoll(path, () => api.call<BrowserDetail>('GET', path), everyMs);
  if (value === undefined) return <>{fault === null ? <Loading /> : <FaultNotice fault={fault} />}</>;
  const { status, liveUrl, cdpUrl, recordingUrl } = value;
  const stop = async (): Promise<void> => {
    await api.call('PATCH', path, { action: 'stop' });
    say('The browser was stopped');
    await refresh();
  };
  return (
    <article>
      <div class="head">
        <h2>{browserName(value)}</h2>
        <StatusBadge status={status} />
        <span class="buttons">
          {status === 'active' && (
            <ConfirmButton label="Stop" title="Stop this browser?" isBusy={isBusy} onConfirm={() => void run(stop)}>
              Its pages and clients end; what it has downloaded stays.
            </ConfirmButton>
          )}
        </span>
      </div>
      <FaultNotice fault={stopFault ?? fault} />
      {status === 'active' && liveUrl && <LiveFrame address={liveUrl} title="Live browser" />}
      <Facts
        rows={[
          ['Started', <TimeAgo at={value.startedAt} />],
          ['Ended', value.finishedAt && <TimeAgo at={value.finishedAt} />],
          ['Duration', runSpan({ startedAt: value.startedAt, endedAt: value.finishedAt ?? null })],
          ['For the browser', usdOfText(value.browserCost)],
          ['For the proxy', usdOfText(value.proxyCost)],
          ['Id', <span class="mono">{id}</span>],
        ]}
      />
      <Recordings addresses={recordingUrl ? [recordingUrl] : []} />
      {cdpUrl && (
        <>
          <h3>Address for clients</h3>
          <div class="copied">
            <code>{cdpUrl}</code>
            <CopyButton text={cdpUrl} what="address for clients" />
          </div>
          <p class="hint">
            Every client with this address controls the browser. Playwright: chromium.connectOverCDP(address)
          </p>
        </>
      )}
      <Downloads id={id} />
    </article>
  );
}

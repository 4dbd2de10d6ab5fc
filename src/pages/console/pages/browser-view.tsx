import type { JSX } from 'preact';
import { useSession, usePoll, useAction } from '../api/hooks.ts';
import type { BrowserDetail, BrowserDownloadList } from '../api/types.ts';
import { usdOfText, runSpan, browserName, bytes, ownPath } from '../format.ts';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { CopyButton, Facts, StatusBadge, TimeAgo, FaultNotice, Loading } from '../parts/facts.tsx';
import { LiveFrame, Recordings } from '../parts/recording.tsx';

const everyMs = 4_000;

/** Details of a browser: live view, URL for clients, cost and downloads. */
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

const downloadsEveryMs = 10_000;

/** Latest downloads of a browser; nothing without any. */
function Downloads({ id }: { readonly id: string }): JSX.Element | null {
  const { api } = useSession();
  const path = `api/v4/browsers/${id}/downloads?limit=100&includeUrls=true`;
  const { value, fault } = usePoll(path, () => api.call<BrowserDownloadList>('GET', path), downloadsEveryMs);
  if (fault !== null) return <FaultNotice fault={fault} />;
  if (value === undefined || value.files.length === 0) return null;
  return (
    <>
      <h3>Downloads</h3>
      <ul class="files">
        {value.files.map(({ path: name, size, url }) => (
          <li key={name}>
            {url ? <a href={ownPath(url, 2)}>{name}</a> : name} <span class="quiet">{bytes(size)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

import { browserStatus } from '#generated/states.ts';
import type { JSX } from 'preact';
import { type Card, CardList, EmptyState, ListHead, NothingMatches, Pager, Split, usePaging } from '../parts/lists.tsx';
import { type Place, goTo } from '../place.ts';
import { useAction, useSession } from '../api/hooks.ts';
import { useListPoll, usePoll } from '../api/polling.ts';
import type { Browser, BrowserDetail, BrowserDownloadList, BrowserList as BrowserPage } from '../api/types.ts';
import { browserName, bytes, ownPath, runSpan, formatUsdText } from '../format.ts';
import { CopyButton, Facts, FaultNotice, StatusBadge, TimeAgo, ReadingState } from '../parts/facts.tsx';
import { CheckBox, CountryField, Field, type FormValues, ProfileField, onFormSubmit } from '../parts/fields.tsx';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { LiveFrame, Recordings } from '../parts/recording.tsx';

/** Standalone browsers for automation clients and manual use: the list, one browser, or a new one. */
export function BrowsersPage({ id }: Place): JSX.Element {
  return (
    <Split page="browsers" isChosen={id !== null} list={<BrowserList chosen={id} />}>
      {id === null || id === 'new' ? <NewBrowser /> : <BrowserView key={id} id={id} />}
    </Split>
  );
}

const everyMs = 4_000;
const pageSize = 20;

/** List of browsers, the newest first. */
function BrowserList({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { api } = useSession();
  const { page, wanted, turnTo, choose } = usePaging();
  const path = `api/v4/browsers?pageSize=${pageSize}&pageNumber=${page}${wanted === '' ? '' : `&filterBy=${wanted}`}`;
  const { value, fault } = useListPoll(path, () => api.call<BrowserPage>('GET', path), everyMs);
  return (
    <>
      <ListHead page="browsers" verb="New browser" />
      {(wanted !== '' || value?.totalItems !== 0) && (
        <div class="filter">
          <select aria-label="State" value={wanted} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">All browsers</option>
            <option value={browserStatus.active}>Active</option>
            <option value={browserStatus.stopped}>Stopped</option>
          </select>
        </div>
      )}
      <CardList page="browsers" name="Browsers" cards={value?.items.map(getCard)} chosen={chosen} fault={fault}>
        {wanted === '' ? (
          <EmptyState title="No browsers yet">
            Start a browser. Control it from Playwright, Puppeteer, Selenium or by hand in its live view.
          </EmptyState>
        ) : (
          <NothingMatches />
        )}
      </CardList>
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={turnTo} />
    </>
  );
}

function getCard(browser: Browser): Card {
  const { id, status, startedAt, finishedAt } = browser;
  return {
    id,
    title: browserName(browser),
    line: (
      <>
        <StatusBadge status={status} />
        <span class="times">
          <TimeAgo at={startedAt} />
          <span> · ran {runSpan({ startedAt, endedAt: finishedAt ?? null })}</span>
        </span>
      </>
    ),
  };
}

/** A form for a new browser. */
function NewBrowser(): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card"
      aria-labelledby="new-browser"
      onSubmit={onFormSubmit(run, async (values) => {
        const { id } = await api.call<Browser>('POST', 'api/v4/browsers', wantedBrowser(values));
        say('The browser was started');
        goTo({ page: 'browsers', id });
      })}
    >
      <h2 id="new-browser">New browser</h2>
      <p class="quiet">
        The browser runs and costs money until you stop it. Closing a client or this page does not stop it.
      </p>
      <div class="fields">
        <CountryField />
        <ProfileField />
        <Field label="Prepaid minutes" hint="Renewed until the browser stops; unused minutes are refunded">
          <input name="minutes" type="number" min={1} max={240} placeholder="60" />
        </Field>
      </div>
      <CheckBox name="record" label="Record a video" />
      <CheckBox name="resize" label="Allow clients to resize the window" />
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Starting…' : 'Start the browser'}
        </button>
      </div>
    </form>
  );
}

/** Returns the request body for a new browser, with selected members only. */
function wantedBrowser(values: FormValues): Readonly<Record<string, unknown>> {
  const [country, profile, minutes] = [values.text('country'), values.text('profile'), values.text('minutes')];
  return {
    ...(country === '' ? {} : { proxyCountryCode: country === 'none' ? null : country }),
    ...(profile === '' ? {} : { profileId: profile }),
    ...(minutes === '' ? {} : { timeout: Number(minutes) }),
    ...(values.isTicked('record') ? { enableRecording: true } : {}),
    ...(values.isTicked('resize') ? { allowResizing: true } : {}),
  };
}

/** Details of a browser: live view, URL for clients, cost and downloads. */
function BrowserView({ id }: { readonly id: string }): JSX.Element {
  const { api, say } = useSession();
  const { run, isBusy, fault: stopFault } = useAction();
  const path = `api/v4/browsers/${id}`;
  const { value, fault, refresh } = usePoll(path, () => api.call<BrowserDetail>('GET', path), everyMs);
  if (value === undefined) return <ReadingState of={value} fault={fault} />;
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
          ['For the browser', formatUsdText(value.browserCost)],
          ['For the proxy', formatUsdText(value.proxyCost)],
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
  if (value === undefined || value.files.length === 0) return <FaultNotice fault={fault} />;
  return (
    <>
      <h3>Downloads</h3>
      <FaultNotice fault={fault} />
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

import { browserStatus } from '#generated/states.ts';
import type { JSX } from 'preact';
import { Split, type Card, CardList, ListHead, Pager, EmptyState } from '../parts/lists.tsx';
import { type Place, goTo } from '../place.ts';
import { BrowserView } from './browser-view.tsx';
import { useState } from 'preact/hooks';
import { useSession, useListPoll, useAction } from '../api/hooks.ts';
import type { Browser, BrowserList as BrowserPage } from '../api/types.ts';
import { runSpan, browserName } from '../format.ts';
import { StatusBadge, TimeAgo, FaultNotice } from '../parts/facts.tsx';
import { CheckBox, Field, CountryField, ProfileField, type FormValues, formValues } from '../parts/fields.tsx';

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
  const [page, setPage] = useState(1);
  const [filter, setFilter] = useState('');
  const path = `api/v4/browsers?pageSize=${pageSize}&pageNumber=${page}${filter === '' ? '' : `&filterBy=${filter}`}`;
  const { value, fault } = useListPoll(path, () => api.call<BrowserPage>('GET', path), everyMs);
  return (
    <>
      <ListHead page="browsers" verb="New browser" />
      {(filter !== '' || value?.totalItems !== 0) && (
        <div class="filter">
          <select
            aria-label="State"
            value={filter}
            onChange={(event) => {
              setFilter(event.currentTarget.value);
              setPage(1);
            }}
          >
            <option value="">All browsers</option>
            <option value={browserStatus.active}>Active</option>
            <option value={browserStatus.stopped}>Stopped</option>
          </select>
        </div>
      )}
      <CardList page="browsers" name="Browsers" cards={value?.items.map(getCard)} chosen={chosen} fault={fault}>
        {filter === '' ? (
          <EmptyState title="No browsers yet">
            Start a browser. Control it from Playwright, Puppeteer, Selenium or by hand in its live view.
          </EmptyState>
        ) : (
          <EmptyState title="Nothing matches">Choose another state.</EmptyState>
        )}
      </CardList>
      <Pager page={page} pageSize={pageSize} total={value?.totalItems ?? 0} onPage={setPage} />
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
      onSubmit={(event) => {
        const values = formValues(event);
        void run(async () => {
          const { id } = await api.call<Browser>('POST', 'api/v4/browsers', wantedBrowser(values));
          say('The browser was started');
          goTo({ page: 'browsers', id });
        });
      }}
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

import type { JSX, ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState, useErrorBoundary } from 'preact/hooks';
import { useSession, useAction } from './api/hooks.ts';
import { usePoll } from './api/polling.ts';
import { BrowsersPage } from './pages/browsers-page.tsx';
import { ConformancePage } from './pages/conformance-page.tsx';
import { CostsPage } from './pages/costs-page.tsx';
import { KeysPage } from './pages/keys-page.tsx';
import { FaultNotice } from './parts/facts.tsx';
import { type Page, type Place, getHash, pages, usePlace, isPage } from './place.ts';
import { ProfilesPage } from './pages/profiles-page.tsx';
import { IntegrationsPage } from './pages/integrations-page.tsx';
import { SchedulesPage } from './pages/schedules-page.tsx';
import { SettingsPage } from './pages/settings-page.tsx';
import { TasksPage } from './tasks/tasks-page.tsx';
import { V2Page } from './tasks/v2-page.tsx';
import { V3Page } from './tasks/v3-page.tsx';
import { WorkspacesPage } from './pages/workspaces-page.tsx';
import type { ConsoleLogin, ConsoleProjectName } from '#contract/console-messages.ts';

const shown: Record<Page, (place: Place) => JSX.Element> = {
  tasks: TasksPage,
  v3: V3Page,
  v2: V2Page,
  schedules: SchedulesPage,
  integrations: IntegrationsPage,
  browsers: BrowsersPage,
  workspaces: WorkspacesPage,
  profiles: ProfilesPage,
  costs: CostsPage,
  keys: KeysPage,
  settings: SettingsPage,
  conformance: ConformancePage,
};

const taskPages: ReadonlySet<Page> = new Set(['tasks', 'v3', 'v2']);

/** The header with messages, the menu, and the selected part of the console. */
export function Frame({ said }: { readonly said: Said }): JSX.Element {
  const place = usePlace();
  const { login, logOut } = useSession();
  const { run, isBusy, fault } = useAction();
  // Place at which the menu was opened. The menu closes when the place changes.
  const [openAt, setOpenAt] = useState<Place | null>(null);
  const isOpen = openAt === place;
  const main = useFocusOnChange(place);
  useEffect(() => {
    document.title = `${pages[place.page]} · Console`;
  }, [place.page]);
  const Part = shown[place.page];
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <button
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpenAt(isOpen ? null : place)}
        >
          Menu
        </button>
        <p class="brand">Console</p>
        <ProjectName />
        <Announcer said={said} />
        <button type="button" disabled={isBusy} onClick={() => void run(logOut)}>
          Log out
        </button>
      </header>
      <div class={isOpen ? 'body open' : 'body'}>
        <Menu page={place.page} />
        <main ref={main} tabIndex={-1}>
          <FaultNotice fault={fault} />
          {!login.hasModels && taskPages.has(place.page) && (
            <p class="notice">
              No model provider is configured: the offline planner answers every task. Store a key under{' '}
              <a href={getHash({ page: 'keys', id: null })}>Keys</a>, or start the service with a provider.
            </p>
          )}
          <PartBoundary key={place.page}>
            <Part {...place} />
          </PartBoundary>
        </main>
      </div>
    </>
  );
}

/** Moves the focus to the content after a change of place. */
function useFocusOnChange({ page, id }: Place): { readonly current: HTMLElement | null } {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    if (!isFirst.current) scrollTo(0, 0);
    isFirst.current = false;
  }, [page, id]);
  return main;
}

/** Renders one part of the console. An exception in it is shown in its place; header and menu continue to work. */
function PartBoundary({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [error, reset] = useErrorBoundary((thrown: unknown) => reportError(thrown));
  if (error === undefined) return <>{children}</>;
  return (
    <section class="card" role="alert">
      <h1>This part cannot be shown</h1>
      <p class="fault">{error instanceof Error ? error.message : String(error)}</p>
      <p>The other parts still work. Report this message and your last steps to the operator.</p>
      <button type="button" onClick={reset}>
        Try again
      </button>
    </section>
  );
}

/** The project of the login; operators can select another one. */
function ProjectName(): JSX.Element {
  const { login } = useSession();
  return login.isOperator ? <ProjectChoice /> : <OneProject />;
}

function OneProject(): JSX.Element {
  const { project } = useSession().login;
  return (
    <p class="project" title={project.id}>
      {project.name}
    </p>
  );
}

function ProjectChoice(): JSX.Element {
  const { api, login, say, enter } = useSession();
  const { run, isBusy, fault } = useAction();
  useEffect(() => {
    if (fault !== null) say(fault.message);
  }, [fault]);
  const path = 'console/api/projects';
  const { value } = usePoll(path, () => api.call<readonly ConsoleProjectName[]>('GET', path), null);
  if (value === undefined || value.length < 2) return <OneProject />;
  const change = async (projectId: string): Promise<void> => {
    const moved = await api.call<ConsoleLogin>('PUT', 'console/api/login/project', { projectId });
    // The shown record belongs to the previous project.
    history.replaceState(null, '', getHash({ page: 'tasks', id: null }));
    enter(moved);
    say(`Project: ${moved.project.name}`);
  };
  return (
    <span class="project">
      <select
        aria-label="Project"
        title={login.project.id}
        disabled={isBusy}
        value={login.project.id}
        onChange={(event) => {
          const { value: projectId } = event.currentTarget;
          void run(() => change(projectId));
        }}
      >
        {value.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

const shownMs = 6_000;

/** A message about the last action. */
export interface Said {
  readonly text: string;
  /** Number of messages so far. */
  readonly count: number;
}

/**
 * Shows the last message in the header for some seconds; screen readers announce it. `count` distinguishes two equal
 * messages.
 */
function Announcer({ said }: { readonly said: Said }): JSX.Element {
  const [gone, setGone] = useState(0);
  useEffect(() => {
    if (said.count === 0) return undefined;
    const timer = setTimeout(() => setGone(said.count), shownMs);
    return () => clearTimeout(timer);
  }, [said.count]);
  const isShown = said.count > gone;
  return (
    <div class="announcer" role="status" aria-live="polite">
      {isShown && (
        <p key={said.count} title={said.text}>
          {said.text}
        </p>
      )}
    </div>
  );
}

/** Links to the parts of the console and to the API reference. */
function Menu({ page }: { readonly page: Page }): JSX.Element {
  return (
    <nav id="menu" aria-label="Parts of the console">
      <ul>
        {Object.keys(pages)
          .filter(isPage)
          .map((name) => (
            <li key={name}>
              <a href={getHash({ page: name, id: null })} aria-current={name === page ? 'page' : undefined}>
                <Icon of={name} />
                {pages[name]}
              </a>
            </li>
          ))}
        <li class="apart">
          <a href="docs">
            <Icon of="docs" />
            API reference
          </a>
        </li>
      </ul>
    </nav>
  );
}

/** Paths of icons in a square of 24 units. */
const outlines: Readonly<Record<Page | 'docs', string>> = {
  tasks: 'M9 6h11M9 12h11M9 18h11M4 6l1 1 2-2M4 12l1 1 2-2M4 18l1 1 2-2',
  v3: 'M4 5h16v11H9l-5 4z',
  v2: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h3',
  schedules: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  browsers: 'M3 5h18v14H3zM3 9h18M6 7h.01M9 7h.01',
  workspaces: 'M3 6h6l2 2h10v11H3z',
  profiles: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c1-4 4-5 8-5s7 1 8 5',
  costs: 'M4 20V4M4 20h16M8 17v-5M12 17V8M16 17v-8',
  integrations: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  keys: 'M8 16a4 4 0 1 1 3.5-6H21v3h-2v3h-3v-3h-4.5A4 4 0 0 1 8 16zM8 12h.01',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  conformance: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4',
  docs: 'M5 4h6a2 2 0 0 1 2 2v14a2 2 0 0 0-2-2H5zM13 6a2 2 0 0 1 2-2h4v14h-4a2 2 0 0 0-2 2',
};

/** Icon of a part of the console. */
function Icon({ of }: { readonly of: keyof typeof outlines }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={outlines[of]} />
    </svg>
  );
}

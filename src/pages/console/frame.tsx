import type { JSX, ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState, useErrorBoundary } from 'preact/hooks';
import { useSession, useAction } from './api/hooks.ts';
import { usePoll } from './api/polling.ts';
import { BrowsersPage } from './pages/browsers-page.tsx';
import { ConformancePage } from './pages/conformance-page.tsx';
import { CostsPage } from './pages/costs-page.tsx';
import { KeysPage } from './pages/keys-page.tsx';
import { type Page, type Place, getHash, pages, usePlace } from './place.ts';
import { ProfilesPage } from './pages/profiles-page.tsx';
import { IntegrationsPage } from './pages/integrations-page.tsx';
import { SchedulesPage } from './pages/schedules-page.tsx';
import { SettingsPage } from './pages/settings-page.tsx';
import { TasksPage } from './tasks/tasks-page.tsx';
import { V2Page } from './tasks/v2-page.tsx';
import { V3Page } from './tasks/v3-page.tsx';
import { WorkspacesPage } from './pages/workspaces-page.tsx';
import { Menu } from './menu.tsx';
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
  // Place at which the menu was opened: it closes when the place changes.
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
        <button type="button" onClick={() => void logOut()}>
          Log out
        </button>
      </header>
      <div class={isOpen ? 'body open' : 'body'}>
        <Menu page={place.page} />
        <main ref={main} tabIndex={-1}>
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
        title={fault?.message ?? login.project.id}
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

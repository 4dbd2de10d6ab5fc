import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useSession } from './api/session-context.ts';
import { BrowsersPage } from './pages/browsers-page.tsx';
import { ConformancePage } from './pages/conformance-page.tsx';
import { CostsPage } from './pages/costs-page.tsx';
import { KeysPage } from './pages/keys-page.tsx';
import { type Page, type Place, hashOf, pages } from './place.ts';
import { usePlace } from './place/use-place.ts';
import { ProfilesPage } from './pages/profiles-page.tsx';
import { SettingsPage } from './pages/settings-page.tsx';
import { TasksPage } from './tasks/tasks-page.tsx';
import { V2Page } from './tasks/v2-page.tsx';
import { V3Page } from './tasks/v3-page.tsx';
import { WorkspacesPage } from './pages/workspaces-page.tsx';
import { Announcer, type Said } from './frame/announcer.tsx';
import { Menu } from './menu.tsx';
import { ProjectName } from './frame/project-name.tsx';
import { PartBoundary } from './frame/part-boundary.tsx';

const shown: Record<Page, (place: Place) => JSX.Element> = {
  tasks: TasksPage,
  v3: V3Page,
  v2: V2Page,
  browsers: BrowsersPage,
  workspaces: WorkspacesPage,
  profiles: ProfilesPage,
  costs: CostsPage,
  keys: KeysPage,
  settings: SettingsPage,
  conformance: ConformancePage,
};

const taskPages: ReadonlySet<Page> = new Set(['tasks', 'v3', 'v2']);

/** The bar with what was just done, the menu, and the chosen part of the console. */
export function Frame({ said }: { readonly said: Said }): JSX.Element {
  const place = usePlace();
  const { login, logOut } = useSession();
  // Where the menu was opened: it is closed wherever somebody goes.
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
              <a href={hashOf({ page: 'keys', id: null })}>Keys</a>, or start the service with a provider.
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

/** Moves the focus to the content when the place changes, before a key can be pressed there. */
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

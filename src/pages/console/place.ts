import { useEffect, useState } from 'preact/hooks';

/** Parts of the console in the order of the menu, with their labels. */
export const pages = {
  tasks: 'Tasks',
  v3: 'V3 sessions',
  v2: 'V2 sessions',
  schedules: 'Schedules',
  browsers: 'Browsers',
  workspaces: 'Workspaces',
  profiles: 'Profiles',
  costs: 'Costs',
  integrations: 'Integrations',
  keys: 'Keys',
  settings: 'Settings',
  conformance: 'Conformance',
} as const;

/** A part of the console. */
export type Page = keyof typeof pages;

/** The part of the console that the URL selects, and the selected record. */
export interface Place {
  readonly page: Page;
  /** Id of the shown record, `new` for a new record, or null for no record. */
  readonly id: string | null;
}

/** Parses the hash of a URL, such as `#/tasks/new`. Returns the list of tasks for an unknown hash. */
export function parsePlace(hash: string): Place {
  const [, name = '', id = ''] = hash.replace(/^#/, '').split('/');
  const page = isPage(name) ? name : 'tasks';
  return { page, id: isPage(name) && /^[A-Za-z0-9-]+$/.test(id) ? id : null };
}

/** Returns the URL hash of a part of the console and its selected record. */
export function getHash({ page, id }: Place): string {
  return id === null ? `#/${page}` : `#/${page}/${id}`;
}

/** Returns whether a text names a part of the console. */
export function isPage(name: string): name is Page {
  return Object.hasOwn(pages, name);
}

/** Returns the part of the console that the URL selects, and re-renders when the URL changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => parsePlace(location.hash));
  useEffect(() => {
    const follow = (): void => setPlace(parsePlace(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return place;
}

/** Navigates to a part of the console and its selected record. */
export function goTo(place: Place): void {
  location.hash = getHash(place);
}

/** Returns the secret of a one-time link such as `#login=...`, or null. Browsers do not send the hash to servers. */
export function loginSecret(hash: string): string | null {
  return /^#login=([A-Za-z0-9_-]{20,100})$/.exec(hash)?.[1] ?? null;
}

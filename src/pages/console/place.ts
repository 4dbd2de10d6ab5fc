import { useEffect, useState } from 'preact/hooks';

/** Parts of the console, in the order of its menu, with what the menu calls them. */
export const pages = {
  tasks: 'Tasks',
  v3: 'V3 sessions',
  v2: 'V2 sessions',
  browsers: 'Browsers',
  workspaces: 'Workspaces',
  profiles: 'Profiles',
  costs: 'Costs',
  keys: 'Keys',
  settings: 'Settings',
  conformance: 'Conformance',
} as const;

/** One of the parts. */
export type Page = keyof typeof pages;

/** Where somebody is in the console. */
export interface Place {
  readonly page: Page;
  /** The thing that is looked at, `new` for one that is to be made, or null for none. */
  readonly id: string | null;
}

/** The place behind the hash of an address, such as `#/tasks/new`; the list of tasks for what leads nowhere. */
export function parsePlace(hash: string): Place {
  const [, name = '', id = ''] = hash.replace(/^#/, '').split('/');
  const page = isPage(name) ? name : 'tasks';
  return { page, id: isPage(name) && /^[A-Za-z0-9-]+$/.test(id) ? id : null };
}

/** The address of a place. */
export function hashOf({ page, id }: Place): string {
  return id === null ? `#/${page}` : `#/${page}/${id}`;
}

function isPage(name: string): name is Page {
  return Object.hasOwn(pages, name);
}

/** Where somebody is; follows the address. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => parsePlace(location.hash));
  useEffect(() => {
    const follow = (): void => setPlace(parsePlace(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return place;
}

/** Goes to a place. */
export function goTo(place: Place): void {
  location.hash = hashOf(place);
}

/** The secret of a one-time link such as `#login=...`, or null. It stands behind the hash, which no browser sends to anybody. */
export function loginSecret(hash: string): string | null {
  return /^#login=([A-Za-z0-9_-]{20,100})$/.exec(hash)?.[1] ?? null;
}

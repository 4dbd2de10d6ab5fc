import type { JSX } from 'preact';
import { getHash, isPage, type Page, pages } from './place.ts';

/** Links to the parts of the console and to the API reference. */
export function Menu({ page }: { readonly page: Page }): JSX.Element {
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

import type { JSX } from 'preact';
import { Icon } from './parts/icon.tsx';
import { type Page, hashOf, pages } from './place.ts';

/** The parts of the console, and the interface behind it. */
export function Menu({ page }: { readonly page: Page }): JSX.Element {
  return (
    <nav id="menu" aria-label="Parts of the console">
      <ul>
        {names.map((name) => (
          <li key={name}>
            <a href={hashOf({ page: name, id: null })} aria-current={name === page ? 'page' : undefined}>
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

const names: readonly Page[] = [
  'tasks',
  'v3',
  'v2',
  'browsers',
  'workspaces',
  'profiles',
  'costs',
  'keys',
  'settings',
  'conformance',
];

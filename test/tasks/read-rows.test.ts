import { expect, it } from 'vitest';
import { readRows } from './read-rows.ts';

it('reads rows by their cells, whatever a cell is made of', () => {
  const outline = `- table [ref=e1]:
  - row [ref=e2]:
    - columnheader "Thread" [ref=e3]
  - row "Slugs 19" [ref=e4]:
    - cell [ref=e5]:
      - link "Slugs: a \\"plague\\"" [ref=e6]:
        - /url: /thread/slugs
    - cell "19" [ref=e7]
    - cell [ref=e8]: "21"`;
  expect(readRows(outline)).toEqual([['Thread'], ['Slugs: a \\"plague\\"', '19', '21']]);
});

import { expect, it } from 'vitest';
import { judgeFake } from '../../testing/judge-fake.ts';

it('ends its browser when no client can open the page that the browser must keep', async () => {
  const stoppedBy: string[] = [];
  await judgeFake({
    faults: ['dead CDP address'],
    options: {
      only: ['V4-BROWSER-04'],
      onExchange: ({ operation, sentBy }) => {
        if (operation === 'stopBrowser') stoppedBy.push(sentBy);
      },
    },
  });
  expect(stoppedBy).toEqual(['clocked-browser']);
});

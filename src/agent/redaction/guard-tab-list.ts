import type { TabList } from '#browsers/tab/tab.ts';
import { safelyBy } from './safe-error.ts';
import type { TabGuard } from './tab-guard.ts';

/** A list of tabs whose titles and addresses show no value. */
export function guardTabList(tabs: TabList, { redactor }: Pick<TabGuard, 'redactor'>): TabList {
  const safely = safelyBy(redactor);
  return {
    list: async () =>
      (await safely(() => tabs.list())).map((tab) => ({
        ...tab,
        url: redactor.text(tab.url),
        title: redactor.text(tab.title),
      })),
    show: (number) => safely(() => tabs.show(number)),
    close: (number) => safely(() => tabs.close(number)),
    add: () => safely(() => tabs.add()),
  };
}

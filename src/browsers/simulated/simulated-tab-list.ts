import { type OpenTab, TabError, type TabList } from '../tab/tab.ts';

/** A simulated browser has one tab. */
export function createSimulatedTabList(only: () => OpenTab, answer: <T>(value: () => T) => Promise<T>): TabList {
  const sole = (number: number): void => {
    if (number !== 1) throw new TabError(`There is no tab ${number}: there are 1.`);
  };
  const cannot = (): never => {
    throw new TabError('A simulated browser has one tab.');
  };
  return {
    list: () => answer(() => [only()]),
    show: (number) => answer(() => sole(number)),
    close: () => answer(cannot),
    add: () => answer(cannot),
  };
}

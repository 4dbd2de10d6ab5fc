/** What is to be done about an action that was done before. */
export type RepeatVerdict = 'go' | 'warn' | 'stop';

/** Sees an agent that runs in a circle. */
export interface RepeatWatch {
  /** Notes an action on a page as it is; both texts are compared as they are. */
  note(action: string, page: string): RepeatVerdict;
}

/** The action that a model is told of, and the one at which it has to stop. */
const TOLD_AT = 3;
const STOPPED_AT = 4;
/** Waiting changes nothing by itself, so it may take a while until something has. */
const PATIENCE = 4;
/** So many actions back is looked: a circle of several actions is one as well. */
const WINDOW = 40;

/** Nothing has been done yet. */
export function createRepeatWatch(): RepeatWatch {
  const latest: string[] = [];
  return {
    note(action, page) {
      const key = `${action}\n${page}`;
      latest.push(key);
      if (latest.length > WINDOW) latest.shift();
      const factor = action.startsWith('wait') ? PATIENCE : 1;
      const count = latest.filter((one) => one === key).length;
      if (count >= STOPPED_AT * factor) return 'stop';
      return count === TOLD_AT * factor ? 'warn' : 'go';
    },
  };
}

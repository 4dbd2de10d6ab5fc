/** What can be read from a page. */
const READINGS = ['title', 'headings', 'links', 'tables', 'text', 'url'] as const;

/** One thing that can be read from a page. */
export type Reading = (typeof READINGS)[number];

/** One thing to do. */
export type Action =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'click'; readonly name: string }
  | { readonly kind: 'type'; readonly field: string; readonly text: string }
  | { readonly kind: 'press'; readonly key: string }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'read'; readonly what: Reading }
  | { readonly kind: 'say'; readonly text: string }
  | FileAction
  | MailAction;

/** One thing that was done on a page: all that can be planned, and what is chosen among what the page offers. */
export type Deed =
  | Action
  | { readonly kind: 'select'; readonly field: string; readonly option: string }
  | { readonly kind: 'check'; readonly name: string; readonly isOn: boolean };

/** One thing to do with files of the task's workspace, some of them on a page. */
export type FileAction =
  /** Null for every file that was attached to the task. */
  | { readonly kind: 'readFile'; readonly name: string | null }
  | { readonly kind: 'listFiles'; readonly which: 'all' | 'attached' }
  /** Null for what was read last. */
  | { readonly kind: 'writeFile'; readonly name: string; readonly text: string | null }
  /** Null for the only file input of the page. */
  | { readonly kind: 'upload'; readonly name: string; readonly field: string | null }
  | { readonly kind: 'download'; readonly name: string };

/** One thing to do with the mailbox of the session. */
export type MailAction =
  | { readonly kind: 'mailAddress'; readonly field: string }
  /** Parts of the sender and the subject; null for any. */
  | { readonly kind: 'waitForMail'; readonly from: string | null; readonly subject: string | null }
  /** Null for the only link, or the only one that confirms something. */
  | { readonly kind: 'mailLink'; readonly name: string | null }
  /** Null to tell the code and type it nowhere. */
  | { readonly kind: 'mailCode'; readonly field: string | null }
  | { readonly kind: 'readMail' };

/** What a goal means, or the first part of it that has no meaning here. */
export type Plan =
  | { readonly kind: 'understood'; readonly actions: readonly Action[] }
  | { readonly kind: 'unclear'; readonly part: string };

const FILE_KINDS: readonly Deed['kind'][] = ['readFile', 'listFiles', 'writeFile', 'upload', 'download'];

/** Whether an action is about files. */
export function isFileAction(action: Deed): action is FileAction {
  return FILE_KINDS.includes(action.kind);
}

const MAIL_KINDS: readonly Deed['kind'][] = ['mailAddress', 'waitForMail', 'mailLink', 'mailCode', 'readMail'];

/** Whether an action is about the mailbox. */
export function isMailAction(action: Deed): action is MailAction {
  return MAIL_KINDS.includes(action.kind);
}

/** Marks a branch that the types rule out; throws a TypeError if a value from outside gets there all the same. */
export function unreachable(value: never): never {
  throw new TypeError(`There is no branch for ${JSON.stringify(value)}.`);
}

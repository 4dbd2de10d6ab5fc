/** Kinds of values that can be read from a page. */
const readings = ['title', 'headings', 'links', 'tables', 'text', 'url'] as const;

/** A kind of value that can be read from a page. */
export type Reading = (typeof readings)[number];

/** A planned action. */
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

/** An action that the agent performed: an {@link Action}, or a change of a drop-down list or check box. */
export type PerformedAction =
  | Action
  | { readonly kind: 'select'; readonly field: string; readonly option: string }
  | { readonly kind: 'check'; readonly name: string; readonly isOn: boolean };

/** An action on files of the task's workspace, such as reading a file or uploading it to a page. */
export type FileAction =
  /** A null `name` means every file attached to the task. */
  | { readonly kind: 'readFile'; readonly name: string | null }
  | { readonly kind: 'listFiles'; readonly which: 'all' | 'attached' }
  /** A null `text` means the last value read. */
  | { readonly kind: 'writeFile'; readonly name: string; readonly text: string | null }
  /** A null `field` means the only file input of the page. */
  | { readonly kind: 'upload'; readonly name: string; readonly field: string | null }
  | { readonly kind: 'download'; readonly name: string };

/** An action on the mailbox of the session. */
export type MailAction =
  | { readonly kind: 'mailAddress'; readonly field: string }
  /** `from` and `subject` are parts of the sender and of the subject; null matches any. */
  | { readonly kind: 'waitForMail'; readonly from: string | null; readonly subject: string | null }
  /**
   * Opens the mail's only link whose text contains `name` (null: any text). If several links match, opens the only
   * confirmation link among them.
   */
  | { readonly kind: 'mailLink'; readonly name: string | null }
  /** With a null `field`, the code is reported and not typed. */
  | { readonly kind: 'mailCode'; readonly field: string | null }
  | { readonly kind: 'readMail' };

/** The actions of a task, or the first part of the task text that the parser does not understand. */
export type Plan =
  | { readonly kind: 'understood'; readonly actions: readonly Action[] }
  | { readonly kind: 'unclear'; readonly part: string };

const fileKinds: readonly PerformedAction['kind'][] = ['readFile', 'listFiles', 'writeFile', 'upload', 'download'];

/** Returns whether an action concerns files. */
export function isFileAction(action: PerformedAction): action is FileAction {
  return fileKinds.includes(action.kind);
}

const mailKinds: readonly PerformedAction['kind'][] = [
  'mailAddress',
  'waitForMail',
  'mailLink',
  'mailCode',
  'readMail',
];

/** Returns whether an action concerns the mailbox. */
export function isMailAction(action: PerformedAction): action is MailAction {
  return mailKinds.includes(action.kind);
}

/** Marks a branch that the types exclude; throws a TypeError for a value that reaches it nevertheless. */
export function unreachable(value: never): never {
  throw new TypeError(`There is no branch for ${JSON.stringify(value)}.`);
}

import { type Phrase, READ_VERB, clause } from './phrase.ts';
import { MARK } from './quoting.ts';

const MAIL =
  '(?:the|a|an|that|this|their)\\s+(?:(?:new|latest|confirmation|verification|welcome)\\s+)?(?:e-?mail|mail)';
const WORD = `(?:${MARK}|[^\\s\\uE000]+)`;
/** The mailbox of the session: "my" address would be that of whoever asks. */
const OWN =
  "(?:your\\s+(?:own\\s+)?(?:e-?mail|mail|mailbox)\\s+address|the\\s+address\\s+of\\s+(?:the|your)\\s+mailbox|the\\s+mailbox(?:'s)?\\s+address)";
const CODE = `the\\s+(?:\\p{L}+\\s+)?code\\s+(?:from|in|of)\\s+${MAIL}`;
const FILL = '(?:type|enter|write|put|input)';
const INTO = '\\s+(?:in|into|to)\\s+(?:the\\s+)?(?<field>.+?)(?:\\s+(?:field|box|input))?';

/** Instructions about the mailbox of the session. */
export const MAIL_PHRASES: readonly Phrase[] = [
  {
    name: 'mailAddress',
    description: "Fills a field with the address of the session's mailbox.",
    examples: ["Type your mail address into 'Email'", "Enter your own email address in 'Email address'"],
    pattern: clause(`${FILL}\\s+${OWN}${INTO}`),
    actions: ({ field = '' }) => [{ kind: 'mailAddress', field }],
  },
  {
    name: 'waitForMail',
    description:
      'Waits up to five minutes for a new mail, from somebody or with words in its subject where they are named.',
    examples: [
      'Wait for the mail',
      "Wait for a mail from 'shop@example.com'",
      "Wait for the mail with the subject 'Your code'",
    ],
    pattern: clause(
      `wait\\s+for\\s+${MAIL}(?:\\s+from\\s+(?<from>${WORD}))?(?:\\s+(?:with\\s+(?:the\\s+)?subject|about)\\s+(?<subject>${WORD}))?(?:\\s+to\\s+(?:come|arrive))?`,
    ),
    actions: ({ from, subject }) => [{ kind: 'waitForMail', from: from ?? null, subject: subject ?? null }],
  },
  {
    name: 'mailLink',
    description:
      'Opens the link of the mail that was waited for, else of the next one: the one of that name, the only one, or the only one that confirms something.',
    examples: [
      'Open the link in the mail',
      "Open the link 'Confirm' in the mail",
      'Follow the confirmation link from the mail',
    ],
    pattern: clause(
      `(?:open|follow|visit|go\\s+to|click(?:\\s+on)?)\\s+the\\s+(?:(?:confirmation|verification|activation)\\s+)?link\\s+(?:(?<name>${WORD})\\s+)?(?:in|from|of)\\s+${MAIL}`,
    ),
    actions: ({ name }) => [{ kind: 'mailLink', name: name ?? null }],
  },
  {
    name: 'mailCode',
    description:
      'Fills a field with the code of the mail that was waited for, else of the next one; or tells that code.',
    examples: ["Type the code from the mail into 'Code'", 'Tell me the code in the mail'],
    pattern: clause(`(?:${FILL}\\s+${CODE}${INTO}|${READ_VERB}\\s+${CODE})`),
    actions: ({ field }) => [{ kind: 'mailCode', field: field ?? null }],
  },
  {
    name: 'readMail',
    description: 'Reads the mail that was waited for, else the next one.',
    examples: ['Read the mail', 'Tell me the text of the mail'],
    pattern: clause(`${READ_VERB}\\s+(?:the\\s+(?:text|content|contents)\\s+of\\s+)?(?<mail>${MAIL})`),
    actions: () => [{ kind: 'readMail' }],
  },
];

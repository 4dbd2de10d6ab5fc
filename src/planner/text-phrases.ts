import { evaluateArithmetic } from './arithmetic.ts';
import { clause, type Phrase, readVerb } from './phrase.ts';
import { markPattern } from './quoting.ts';

const onlyPattern = '(?:only|just|exactly)';
const nounPattern = '(?:words?|text|phrase|sentence|string|message|number|letter)';
/** Pattern of the words that announce a literal text in a goal, such as "the exact text". */
const namedPattern = `(?:the|this)\\s+(?:(?:exact|literal|following|single|same)\\s+)*${nounPattern}`;
/**
 * Negative lookahead for words that continue a description, such as "of" or "that". "Return the text of the page" asks
 * for a text that must be read, not for a text to repeat.
 */
const givenPattern = '(?!(?:of|on|from|in|at|under|below|above|beside|between|inside|that|which|shown|you)\\b)';
/**
 * Negative lookahead for words that begin a description, such as "the" or "what". "Reply with the price" contains no
 * text to repeat.
 */
const notDescribed = '(?!(?:the|its|what|which|whether|how)\\b)';

const sayPattern = `(?:(?:reply|respond|answer)(?:\\s+${onlyPattern})?\\s+with|say|output|print)(?:\\s+${onlyPattern})?`;
const replyPattern = `(?:reply|respond|answer)(?:\\s+${onlyPattern})?\\s+with(?:\\s+${onlyPattern})?`;
const speakPattern = `(?:say|output|print)(?:\\s+${onlyPattern})?`;
const returnPattern = '(?:return|give\\s+me|give\\s+back|write|send|send\\s+me|echo|repeat|provide)';

const askPattern = "(?:what\\s+is|what's|how\\s+much\\s+is|calculate|compute|evaluate|solve|work\\s+out)";
const tellPattern = `(?:(?:tell|give|show)\\s+me|return|find|${replyPattern})`;
const resultPattern = 'the\\s+(?:result|answer|value)\\s+(?:of|to)';

/** Instructions whose answer is a text of the goal or the result of a calculation. They need no browser. */
export const textPhrases: readonly Phrase[] = [
  {
    name: 'calculate',
    description:
      'Answers with the result of an arithmetic expression (plus, minus, times, divided by), exact up to 10 decimal places, without a browser.',
    examples: ['What is 2 + 2?', 'Calculate (1.5 + 2) * 4', 'Reply with the result of 12 divided by 4', '2+2'],
    pattern: clause(
      `(?:${askPattern}\\s+(?:${resultPattern}\\s+)?|${tellPattern}\\s+${resultPattern}\\s+)(?<expression>[\\d.(−-][\\d\\s().+*/×÷·−–a-z-]*?)\\s*=?`,
    ),
    actions: ({ expression = '' }) => {
      const text = evaluateArithmetic(expression);
      return text === null ? null : [{ kind: 'say', text }];
    },
  },
  {
    name: 'say',
    description: 'Answers with a text, without a browser.',
    examples: [
      'Reply with the word ready',
      'Say hello',
      'Answer with exactly "4"',
      'Return the exact text: hello world',
    ],
    pattern: clause(
      `(?:${sayPattern}\\s*:\\s*(?<text>.+?)` +
        `|${sayPattern}\\s+${namedPattern}(?:\\s*:\\s*|\\s+${givenPattern})(?<text2>.+?)` +
        `|${returnPattern}\\s+(?:${onlyPattern}\\s+)?(?:${namedPattern}|${onlyPattern})(?:\\s*:\\s*(?<text3>.+?)|\\s+(?<text4>${markPattern}))` +
        `|${returnPattern}\\s+(?:${onlyPattern}\\s+)?the\\s+(?:exact|literal)\\s+${nounPattern}\\s+${givenPattern}(?<text5>.+?)` +
        `|${returnPattern}\\s+(?:${onlyPattern}\\s+)?the\\s+(?:single\\s+)?word\\s+${givenPattern}(?<text6>[^\\s\\uE000]+)` +
        `|${replyPattern}\\s+${notDescribed}(?<text7>.+?)|${speakPattern}\\s+(?<text8>.+?))`,
    ),
    actions: (parts) => [{ kind: 'say', text: Object.values(parts).join('') }],
  },
];

const expressionCharactersMax = 500;
const datePattern = /^\d{4}-\d{1,2}-\d{1,2}$/;

/**
 * Returns the result of a goal that is only an arithmetic expression, such as `2+2` or `7 / 2 =?`. Returns null for any
 * other goal, and for a date, which looks like a subtraction.
 */
export function answerExpression(goal: string): string | null {
  if (goal.length > expressionCharactersMax) return null;
  let end = goal.length;
  while (/[=?.\s]/.test(goal.charAt(end - 1))) end -= 1;
  const expression = goal.slice(0, end).trim();
  if (datePattern.test(expression)) return null;
  return evaluateArithmetic(expression);
}

const anythingMore = '(?:text|words?|explanations?|punctuation|comments?|quotes|quotation\\s+marks)';

/**
 * Matches a remark about a requested text, such as "nothing else". A remark needs no action, because the answer
 * contains only the text.
 */
export const textRemark: RegExp = clause(
  '(?:(?:with\\s+)?nothing\\s+(?:else|more)' +
    `|(?:with\\s+)?no\\s+(?:(?:other|further|additional|extra)\\s+)?${anythingMore}` +
    `|without\\s+(?:any\\s+)?(?:(?:other|further|additional|extra)\\s+)?${anythingMore}` +
    "|(?:do\\s+not|don't)\\s+(?:(?:add|say|write|output|include)\\s+anything(?:\\s+(?:else|more))?|explain(?:\\s+it)?)" +
    "|(?:do\\s+not|don't)\\s+(?:use|open)\\s+(?:the|a|any)\\s+(?:browser|tools?|web|internet|websites?|pages?)" +
    `|(?:(?:${replyPattern}|give\\s+me|return|say|output|print)\\s+)?(?:(?:only|just)\\s+)?the\\s+(?:number|result|answer)(?:\\s+only)?)`,
);

/** Pattern of a file name: one word, or a quotation. */
const filePattern = `(?<file>${markPattern}|[^\\s]+)`;
/** Pattern of a reference to the value that was read last. */
const itPattern =
  '(?:it|that|this|them|these|(?:the\\s+)?(?:result|answer|output|list)|what\\s+(?:you|i)\\s+(?:have\\s+)?read)';

/** Instructions about the files of the task's workspace. */
export const filePhrases: readonly Phrase[] = [
  {
    name: 'upload',
    description:
      'Puts a file of the workspace into a file input, by its label or name; without a name into the only file input of the page.',
    examples: ["Upload the file cv.pdf into 'Resume'", 'Upload the file cv.pdf'],
    pattern: clause(
      `(?:upload|attach|put|add|insert)\\s+(?:the\\s+)?file\\s+${filePattern}(?:\\s+(?:in|into|to|for)\\s+(?:the\\s+)?(?<field>.+?)(?:\\s+(?:field|box|input))?)?`,
    ),
    actions: ({ file = '', field }) => [{ kind: 'upload', name: file, field: field ?? null }],
  },
  {
    name: 'writeFile',
    description:
      'Writes a text, or the last text that was read, to a file of the workspace; replaces an existing file.',
    examples: [
      'Save it as report.txt',
      "Write 'hello' to the file out.txt",
      'Save the result in the file "my notes.txt"',
    ],
    pattern: clause(
      `(?:save|write|store)\\s+(?:${itPattern}|(?<text>.+?))\\s+(?:as|(?:as|in|into|to)\\s+(?:a|the)\\s+(?:new\\s+)?file(?:\\s+(?:named|called))?)\\s+${filePattern}`,
    ),
    actions: ({ file = '', text }) => [{ kind: 'writeFile', name: file, text: text ?? null }],
  },
  {
    name: 'listFiles',
    description: 'Lists the files of the workspace, or those that were attached to the task.',
    examples: ['List the files', 'List the attached files', 'Tell me the names of the files'],
    pattern: clause(
      `(?:list\\s+(?:the\\s+|all\\s+|my\\s+)*|${readVerb}\\s+(?:the\\s+)?names\\s+of\\s+(?:the\\s+|all\\s+|my\\s+)*)(?<attached>attached\\s+)?files(?:\\s+(?:in|of)\\s+(?:the\\s+)?workspace)?`,
    ),
    actions: ({ attached }) => [{ kind: 'listFiles', which: attached === undefined ? 'all' : 'attached' }],
  },
  {
    name: 'readFile',
    description: 'Reads a text file of the workspace by its path or name, or the files that were attached to the task.',
    examples: ['Read the file notes.txt', 'Read the attached file', 'Show me the file reports/2026.csv'],
    pattern: clause(
      `${readVerb}\\s+(?:the\\s+)?(?:(?<attached>attached\\s+files?|attachments?)|(?:contents?\\s+of\\s+)?(?:the\\s+)?file\\s+${filePattern})`,
    ),
    actions: ({ file }) => [{ kind: 'readFile', name: file ?? null }],
  },
  {
    name: 'download',
    description:
      'Clicks a link or button by its name and waits for its download; the file is stored in the folder downloads.',
    examples: ["Download 'Report'", 'Download the file by clicking Export'],
    pattern: clause(
      'download\\s+(?:(?:the|a)\\s+)?(?:file\\s+)?(?:by\\s+clicking\\s+(?:on\\s+)?)?(?:the\\s+)?(?:(?:link|button)\\s+)?(?<name>.+?)(?:\\s+(?:link|button))?',
    ),
    actions: ({ name = '' }) => [{ kind: 'download', name }],
  },
];

const mailPattern =
  '(?:the|a|an|that|this|their)\\s+(?:(?:new|latest|confirmation|verification|welcome)\\s+)?(?:e-?mail|mail)';
const wordPattern = `(?:${markPattern}|[^\\s\\uE000]+)`;
/**
 * Pattern of the session's own mail address, such as "your mail address". Does not match "my address", which means the
 * user's address.
 */
const ownPattern =
  "(?:your\\s+(?:own\\s+)?(?:e-?mail|mail|mailbox)\\s+address|the\\s+address\\s+of\\s+(?:the|your)\\s+mailbox|the\\s+mailbox(?:'s)?\\s+address)";
const codePattern = `the\\s+(?:\\p{L}+\\s+)?code\\s+(?:from|in|of)\\s+${mailPattern}`;
const fillPattern = '(?:type|enter|write|put|input)';
const intoPattern = '\\s+(?:in|into|to)\\s+(?:the\\s+)?(?<field>.+?)(?:\\s+(?:field|box|input))?';

/** Instructions about the mailbox of the session. */
export const mailPhrases: readonly Phrase[] = [
  {
    name: 'mailAddress',
    description: "Fills in a field with the address of the session's mailbox.",
    examples: ["Type your mail address into 'Email'", "Enter your own email address in 'Email address'"],
    pattern: clause(`${fillPattern}\\s+${ownPattern}${intoPattern}`),
    actions: ({ field = '' }) => [{ kind: 'mailAddress', field }],
  },
  {
    name: 'waitForMail',
    description:
      'Waits up to five minutes for a new mail, optionally from a named sender or with words in its subject.',
    examples: [
      'Wait for the mail',
      "Wait for a mail from 'shop@example.com'",
      "Wait for the mail with the subject 'Your code'",
    ],
    pattern: clause(
      `wait\\s+for\\s+${mailPattern}(?:\\s+from\\s+(?<from>${wordPattern}))?(?:\\s+(?:with\\s+(?:the\\s+)?subject|about)\\s+(?<subject>${wordPattern}))?(?:\\s+to\\s+(?:come|arrive))?`,
    ),
    actions: ({ from, subject }) => [{ kind: 'waitForMail', from: from ?? null, subject: subject ?? null }],
  },
  {
    name: 'mailLink',
    description:
      'Opens a link of the awaited mail, or else of the next mail: the link with the given name, the only link, or the only confirmation link.',
    examples: [
      'Open the link in the mail',
      "Open the link 'Confirm' in the mail",
      'Follow the confirmation link from the mail',
    ],
    pattern: clause(
      `(?:open|follow|visit|go\\s+to|click(?:\\s+on)?)\\s+the\\s+(?:(?:confirmation|verification|activation)\\s+)?link\\s+(?:(?<name>${wordPattern})\\s+)?(?:in|from|of)\\s+${mailPattern}`,
    ),
    actions: ({ name }) => [{ kind: 'mailLink', name: name ?? null }],
  },
  {
    name: 'mailCode',
    description:
      'Fills in a field with the code of the awaited mail, or else of the next mail; or answers with the code.',
    examples: ["Type the code from the mail into 'Code'", 'Tell me the code in the mail'],
    pattern: clause(`(?:${fillPattern}\\s+${codePattern}${intoPattern}|${readVerb}\\s+${codePattern})`),
    actions: ({ field }) => [{ kind: 'mailCode', field: field ?? null }],
  },
  {
    name: 'readMail',
    description: 'Reads the awaited mail, or else the next mail.',
    examples: ['Read the mail', 'Tell me the text of the mail'],
    pattern: clause(`${readVerb}\\s+(?:the\\s+(?:text|content|contents)\\s+of\\s+)?(?<mail>${mailPattern})`),
    actions: () => [{ kind: 'readMail' }],
  },
];

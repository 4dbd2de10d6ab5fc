import { type Phrase, READ_VERB, clause } from './phrase.ts';
import { MARK } from './quoting.ts';

/** What a name of a file consists of: one word, or a quotation. */
const FILE = `(?<file>${MARK}|[^\\s]+)`;
/** What was read before. */
const IT =
  '(?:it|that|this|them|these|(?:the\\s+)?(?:result|answer|output|list)|what\\s+(?:you|i)\\s+(?:have\\s+)?read)';

/** Instructions about the files of the task's workspace. */
export const FILE_PHRASES: readonly Phrase[] = [
  {
    name: 'upload',
    description:
      'Puts a file of the workspace into a file input, found by its label or name, or the only one of the page.',
    examples: ["Upload the file cv.pdf into 'Resume'", 'Upload the file cv.pdf'],
    pattern: clause(
      `(?:upload|attach|put|add|insert)\\s+(?:the\\s+)?file\\s+${FILE}(?:\\s+(?:in|into|to|for)\\s+(?:the\\s+)?(?<field>.+?)(?:\\s+(?:field|box|input))?)?`,
    ),
    actions: ({ file = '', field }) => [{ kind: 'upload', name: file, field: field ?? null }],
  },
  {
    name: 'writeFile',
    description: 'Writes a text, or what was read last, to a file of the workspace; a file of that name is replaced.',
    examples: [
      'Save it as report.txt',
      "Write 'hello' to the file out.txt",
      'Save the result in the file "my notes.txt"',
    ],
    pattern: clause(
      `(?:save|write|store)\\s+(?:${IT}|(?<text>.+?))\\s+(?:as|(?:as|in|into|to)\\s+(?:a|the)\\s+(?:new\\s+)?file(?:\\s+(?:named|called))?)\\s+${FILE}`,
    ),
    actions: ({ file = '', text }) => [{ kind: 'writeFile', name: file, text: text ?? null }],
  },
  {
    name: 'listFiles',
    description: 'Lists the files of the workspace, or those that were attached to the task.',
    examples: ['List the files', 'List the attached files', 'Tell me the names of the files'],
    pattern: clause(
      `(?:list\\s+(?:the\\s+|all\\s+|my\\s+)*|${READ_VERB}\\s+(?:the\\s+)?names\\s+of\\s+(?:the\\s+|all\\s+|my\\s+)*)(?<attached>attached\\s+)?files(?:\\s+(?:in|of)\\s+(?:the\\s+)?workspace)?`,
    ),
    actions: ({ attached }) => [{ kind: 'listFiles', which: attached === undefined ? 'all' : 'attached' }],
  },
  {
    name: 'readFile',
    description: 'Reads a text file of the workspace by its path or name, or the files that were attached to the task.',
    examples: ['Read the file notes.txt', 'Read the attached file', 'Show me the file reports/2026.csv'],
    pattern: clause(
      `${READ_VERB}\\s+(?:the\\s+)?(?:(?<attached>attached\\s+files?|attachments?)|(?:contents?\\s+of\\s+)?(?:the\\s+)?file\\s+${FILE})`,
    ),
    actions: ({ file }) => [{ kind: 'readFile', name: file ?? null }],
  },
  {
    name: 'download',
    description:
      'Clicks what is called so and waits for the download that it begins; the file is kept in the folder downloads.',
    examples: ["Download 'Report'", 'Download the file by clicking Export'],
    pattern: clause(
      'download\\s+(?:(?:the|a)\\s+)?(?:file\\s+)?(?:by\\s+clicking\\s+(?:on\\s+)?)?(?:the\\s+)?(?:(?:link|button)\\s+)?(?<name>.+?)(?:\\s+(?:link|button))?',
    ),
    actions: ({ name = '' }) => [{ kind: 'download', name }],
  },
];

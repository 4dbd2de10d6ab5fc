import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Counts, countHits, judgeCounts, lowerCounts, readPassages } from './lint-words/read-passages.ts';
import { phraseFinder, readPhrases } from './lint-words/phrases.ts';

/**
 * npm run lint:words [-- --list PATH | --lower]
 * Rejects the phrases of tools/lint-words/phrases.yaml. tools/lint-words/allowed.json has the number of phrases that
 * each folder may still contain. This number may fall, but never rise. `--lower` lowers the numbers in that file;
 * `--list` prints each phrase below a path with its line.
 */
const allowedFile = 'tools/lint-words/allowed.json';

/**
 * Extensions of files with text written by people. `notWritten` excludes generated files, evidence and recorded pages.
 */
const written = /\.(?:tsx?|mjs|md|ya?ml)$/;
const notWritten = /^(?:generated|fixtures|docs\/(?:reference|evidence)|tools\/lint-words)\//;

/** Maximum size of the list of all files, in bytes. */
const listBytesMax = 64 * 1024 * 1024;

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
  maxBuffer: listBytesMax,
});
const files = listed.split('\n').filter((file) => written.test(file) && !notWritten.test(file) && existsSync(file));
const findPhrases = phraseFinder(readPhrases());
const hits = files.flatMap(readPassages).flatMap(findPhrases);

const listAt = process.argv.indexOf('--list');
if (listAt === -1) judge();
else {
  const below = process.argv[listAt + 1] ?? '.';
  for (const { file, line, phrase, use } of hits)
    if (below === '.' || file === below || file.startsWith(`${below.replace(/\/$/, '')}/`))
      console.log(`${file}:${line}: "${phrase}" (write: ${use})`);
}

function judge(): void {
  const found = countHits(hits);
  const allowed: Counts = JSON.parse(readFileSync(allowedFile, 'utf8'));
  if (process.argv.includes('--lower'))
    writeFileSync(allowedFile, `${JSON.stringify(lowerCounts(found, allowed), null, 2)}\n`);
  const problems = judgeCounts(found, allowed);
  for (const problem of problems) console.error(problem);
  console.log(`words: ${hits.length} phrases to avoid in ${files.length} files`);
  if (problems.length > 0) process.exitCode = 1;
}

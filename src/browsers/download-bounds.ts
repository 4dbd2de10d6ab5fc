import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import type { DownloadRules } from './index.ts';

/** What one browser may download in the life of its process (spec/rules/limits.yaml). */
export function downloadBounds(rules: RuleBook): Omit<DownloadRules, 'keep'> {
  return {
    fileBytesMax: limitOf(rules, 'downloadBytes'),
    bytesMax: limitOf(rules, 'browserDownloadBytes'),
    filesMax: limitOf(rules, 'browserDownloads'),
  };
}

import type { RawRequest } from './fuzzed-request.ts';
import type { RawAnswers } from './send-raw.ts';

/** Everything that is wrong with what came back on a connection, a sentence each; empty when nothing is. */
export function judgeRaw({ answers }: RawRequest, { heads, isEnded, isCut }: RawAnswers): string[] {
  const final = heads.filter(({ status }) => status >= 200);
  return [
    ...(isEnded ? [] : ['a connection that had ended its side was not ended']),
    ...final.filter(({ status }) => status >= 500).map(({ status }) => `bytes were answered ${status}`),
    ...final
      .filter(({ text }) => !/\r\nx-request-id: \S/i.test(text))
      .map(({ status }) => `an answer of ${status} to bytes has no request id`),
    ...(answers === null || answers === final.length || (isCut && final.length < answers)
      ? []
      : [`${answers} requests on one connection got ${final.length} answers`]),
  ];
}

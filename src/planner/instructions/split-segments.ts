/** Verbs that a new instruction begins with. */
const VERBS =
  'open|go|visit|navigate|browse|search|look|find|enter|type|write|fill|put|add|set|change|correct|replace|use|choose|select|pick|tick|untick|check|uncheck|' +
  'click|press|hit|tap|follow|submit|send|save|post|publish|book|reserve|order|place|request|apply|confirm|continue|proceed|log|sign|tell|give|list|read|show|' +
  'download|upload|attach|scroll|wait|load|reload|refresh|sort|cancel|delete|remove|switch|turn|start|stop|leave|register|subscribe|hand|clear|accept|mark|what|which|how|who|when|where';

/** Words of order and politeness that may stand before any instruction. */
export const BEFORE =
  "(?:(?:please|now|first(?!\\s+name)|next(?!\\s+(?:page|month|button))|finally|also|then|and|but|so|afterwards|after that|once there|can you|could you|would you|i want you to|i(?:'d| would) like you to|you should)\\s+)*";

const BORDER = new RegExp(`(?:\\s*[,:]\\s*|\\s+)(?=${BEFORE}(?:${VERBS})\\b)`, 'gi');
const JOINED = /(?:[,:]|\b(?:and|then|but|so))\s*$/i;

/** Cuts a sentence where a comma, "and" or "then" leads to another instruction. */
export function splitSegments(sentence: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const border of sentence.matchAll(BORDER)) {
    const before = sentence.slice(start, border.index + border[0].length);
    const isJoined =
      JOINED.test(before.trimEnd()) || /^(?:and|then|but|so)\b/i.test(sentence.slice(border.index + border[0].length));
    if (!isJoined) continue;
    parts.push(before);
    start = border.index + border[0].length;
  }
  parts.push(sentence.slice(start));
  return parts
    .map((part) => part.replace(/(?:[\s,:]|\b(?:and|then|but|so)\b)+$/i, '').trim())
    .filter((part) => part !== '');
}

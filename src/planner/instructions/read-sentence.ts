import { type Quoted, markPattern } from '../quoting.ts';
import type { Directive, Parts, Rule } from './directive.ts';
import { readPieces, type Sentence } from './split-text.ts';
import { directiveRules } from './page-rules.ts';

/** Context of the sentence that is parsed. */
export interface Around {
  readonly quoted: Quoted;
  /** Directives of earlier sentences. */
  readonly before: readonly Directive[];
}

const asksPattern =
  /^(?:tell\s+me|give\s+me|show\s+me|let\s+me\s+know|report|read\s+out|i\s+need|i\s+(?:want|would\s+like)\s+to\s+know|what|which|how\s+(?:many|much)|who|when|where)\b/i;
const ownQuestion = /\b(?:are|do|would|have|did)\s+you\b/i;

/** Parses a sentence into directives. Returns the `part` of the sentence that is not understood, if any. */
export function readSentence({ text, isQuestion }: Sentence, around: Around): Directive[] | { readonly part: string } {
  const { quoted } = around;
  const wanted =
    forbidden(text, quoted) ??
    (isQuestion && ownQuestion.test(text) && !/\btell me\b/i.test(text) ? label(text, quoted) : null);
  if (wanted !== null) return wanted;
  const directives: Directive[] = [];
  for (const segment of splitSegments(text)) {
    const read = readSegment(segment, { quoted, before: [...around.before, ...directives] });
    if (read === null) return { part: segment };
    directives.push(...read);
  }
  return directives;
}

/** Parses a prohibition, as in "Please do not place the order". Returns null for any other sentence. */
function forbidden(text: string, { unquote }: Quoted): Directive[] | null {
  const found =
    /^(?:please\s+)?(?:do\s+not|don['’]t|you\s+(?:don['’]t|do\s+not)\s+(?:need|have)\s+to|never|without)\s+(?<what>.+)$/i.exec(
      text,
    );
  return found?.groups === undefined ? null : [{ kind: 'avoid', what: unquote(found.groups['what'] ?? '') }];
}

/**
 * Parses a question of the page that the task quotes, such as "Do you smoke?". The next sentence of the task gives the
 * answer to enter.
 */
function label(text: string, { unquote }: Quoted): Directive[] {
  return [{ kind: 'place', where: unquote(text.replace(/^.*:\s+/, '')) }];
}

function readSegment(segment: string, around: Around): readonly Directive[] | null {
  const { quoted, before } = around;
  const bare = segment
    .replace(new RegExp(`^${beforePattern}`, 'i'), '')
    .replace(/\s+(?:please|for me)$/i, '')
    .trim();
  if (bare === '' || isRemark(bare)) return mentioned(bare, quoted);
  const placed = readPlace(bare, around);
  if (placed !== undefined) return placed;
  if (asksPattern.test(bare)) return [{ kind: 'ask', question: quoted.unquote(bare), about: getAbout(before) }];
  return headed(bare, around) ?? byRule(bare, quoted) ?? statement(bare, around);
}

const placePattern =
  /^(?:on|in|at|for|under)\s+(?:the|its|their)\s+(?<where>[^,]{1,60}?)\s*,?\s+(?<rest>(?:open|go|search|enter|type|write|fill|put|add|set|change|choose|select|pick|tick|untick|click|press|tell|find|scroll|read|use)\b.*)$/i;
const placeAlone = /^(?:on|in|at)\s+(?:the|its|their)\s+(?<where>[\w ]{1,40})$/i;

/**
 * Parses an instruction that begins with the place where it applies, as in "In the basket, ...". Returns undefined for
 * any other text, and null if the rest of the text is not understood.
 */
function readPlace(text: string, around: Around): readonly Directive[] | null | undefined {
  const { where = '', rest } = placePattern.exec(text)?.groups ?? placeAlone.exec(text)?.groups ?? {};
  if (where === '') return undefined;
  const isPage = /\b(?:page|site|form)$/i.test(where);
  const place: Directive[] = isPage ? [] : [{ kind: 'place', where: around.quoted.unquote(where) }];
  const read = rest === undefined ? [] : readSegment(rest, around);
  return read === null ? null : [...place, ...read];
}

/**
 * Parses "Write a reply: your name is Ada, ..." into a headline and values for fields. Returns null for any other
 * sentence.
 */
function headed(text: string, { quoted }: Around): readonly Directive[] | null {
  const { head, list = '' } = /^(?<head>[^:]+?)\s*:\s+(?<list>.+)$/.exec(text)?.groups ?? {};
  if (head === undefined) return null;
  const about = /^(?:write|create|make|start|post|leave|add)\s+(?:a|an)\s+(?<what>[\w ]+)$/i.exec(head)?.groups?.[
    'what'
  ];
  if (about === undefined) return null;
  return [
    { kind: 'headline', what: about },
    { kind: 'assign', pieces: readPieces(list, quoted.unquote) },
  ];
}

/**
 * Parses a remark that requests no action. If it contains a quotation or URL, the first of these becomes the meaning of
 * "it".
 */
function mentioned(text: string, { unquote }: Quoted): Directive[] {
  const mark = new RegExp(markPattern).exec(text)?.[0];
  return mark === undefined ? [] : [{ kind: 'mention', what: unquote(mark) }];
}

function byRule(text: string, quoted: Quoted): readonly Directive[] | null {
  for (const rule of directiveRules) {
    const read = readBy(rule, text, quoted);
    if (read !== null) return read;
  }
  return null;
}

function readBy({ pattern, read }: Rule, text: string, { unquote }: Quoted): readonly Directive[] | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const found: Readonly<Record<string, string | undefined>> = match.groups ?? {};
  const raw = (name: string): string => found[name] ?? '';
  const parts: Parts = { raw, of: (name) => unquote(raw(name)), unquote };
  return read(parts);
}

/**
 * Parses a statement that gives a value for a field, such as "The zone is B" or "Last name: Novak". After a question of
 * the page, parses the answer to this question. Returns null for any other sentence.
 */
function statement(text: string, { quoted, before }: Around): readonly Directive[] | null {
  const secret =
    /^the\s+password\s+is\s+(?:kept\s+|stored\s+)?(?:(?:as|in)\s+)?(?:the\s+)?(?<secret>secret\s+)?(?<name>\S+?)(?:\s*,.*)?$/i.exec(
      text,
    );
  const last = before.at(-1);
  if (secret?.groups !== undefined && last?.kind === 'login') return [];
  if (last?.kind === 'place' && !/\s(?:is|was|should)\s/i.test(text) && text.length < 100)
    return [{ kind: 'set', field: '', value: quoted.unquote(text) }];
  const isTold =
    /^(?!(?:i|we|you|there|at|in|on|some\w*|any\w*|no\w*)\b)[^:]{0,60}?(?::\s|\s(?:is|was|are|were|should\s+be)\s)/i.test(
      text,
    );
  if (isTold || new RegExp(`^(?:the|your|my|with)?\\s*[\\w ]{1,30}\\s+${markPattern}`, 'i').test(text))
    return [{ kind: 'assign', pieces: readPieces(text, quoted.unquote) }];
  return null;
}

/**
 * Returns what "it" means in a question: the element, page or place that was named last in earlier directives. Empty if
 * none was named.
 */
function getAbout(before: readonly Directive[]): string {
  const named = before.flatMap((directive) => {
    if (directive.kind === 'scroll') return directive.until ?? [];
    if (directive.kind === 'visit' || directive.kind === 'mention') return directive.what;
    return directive.kind === 'place' ? directive.where : [];
  });
  return named.at(-1) ?? '';
}

/** Patterns of remarks: sentences about a page or person that request no action. */
const remarks: readonly RegExp[] = [
  /^(?:it|this|that|the\s+[\w ]+?)\s+(?:may\s+|can\s+|might\s+|will\s+)?(?:often\s+|sometimes\s+|usually\s+)?(?:takes?|needs?)\s+(?:a\s+while|a\s+moment|some\s+time|long|a\s+bit)\b/i,
  /^(?:it|this|that|the\s+[\w ]+?)\s+(?:may\s+|can\s+|might\s+)?(?:often\s+|sometimes\s+|usually\s+)?(?:fails?|is\s+slow|loads?\s+slowly)\b/i,
  /^(?:it|this|that|the\s+[\w ]+?)\s+(?:is|are|stands?)\s+(?:at|on|in)\s+the\s+(?:very\s+)?(?:top|bottom|left|right|middle|side|footer|header)\b/i,
  /\b(?:is\s+not|isn['’]t)\s+on\s+(?:the|this)\s+(?:first\s+)?page\b/i,
  /^(?:confirm|agree|say\s+yes)\s+(?:it\s+)?if\s+you(?:['’]re|\s+are)\s+asked$/i,
  /^if\s+(?:it|that|this)\s+(?:does|happens|fails)$/i,
  /^use\s+(?:that|this|it)(?:\s+one)?$/i,
  /\b(?:is|are)\s+(?:very\s+|a\s+bit\s+)?(?:picky|strict|fussy|particular)\s+about\b/i,
  /^(?:read|look\s+at)\s+the\s+(?:error|message)s?\s+if\s+there\s+(?:is|are)\b/i,
  /^(?:write|enter|give)\s+(?:it|them)\s+(?:the\s+way|as|in\s+the\s+form)\s+(?:they|it|the\s+page)\s+(?:wants?|asks?|expects?|requires?)\b/i,
  // The rest of a sentence that contained a URL.
  /^(?:you|one)\s+(?:can\s+)?(?:look|find|see|get|have)\b(?:\s+(?:it|that|this|them|up|there|here))*$/i,
  /^(?:the|their|its)\s+[\w'’ ]+\s+(?:is|are)$/i,
  /^(?:thanks|thank\s+you|many\s+thanks|cheers)\b/i,
];

/** Returns whether a sentence is a remark that requests no action. */
function isRemark(text: string): boolean {
  return remarks.some((remark) => remark.test(text));
}

/** Verbs with which a new instruction begins. */
const verbsPattern =
  'open|go|visit|navigate|browse|search|look|find|enter|type|write|fill|put|add|set|change|correct|replace|use|choose|select|pick|tick|untick|check|uncheck|' +
  'click|press|hit|tap|follow|submit|send|save|post|publish|book|reserve|order|place|request|apply|confirm|continue|proceed|log|sign|tell|give|list|read|show|' +
  'download|upload|attach|scroll|wait|load|reload|refresh|sort|cancel|delete|remove|switch|turn|start|stop|leave|register|subscribe|hand|clear|accept|mark|what|which|how|who|when|where';

/** Pattern of words before an instruction that have no meaning of their own, such as "please" and "then". */
const beforePattern =
  "(?:(?:please|now|first(?!\\s+name)|next(?!\\s+(?:page|month|button))|finally|also|then|and|but|so|afterwards|after that|once there|can you|could you|would you|i want you to|i(?:'d| would) like you to|you should)\\s+)*";

const borderPattern = new RegExp(`(?:\\s*[,:]\\s*|\\s+)(?=${beforePattern}(?:${verbsPattern})\\b)`, 'gi');

const joinedPattern = /(?:[,:]|\b(?:and|then|but|so))\s*$/i;

/**
 * Splits a sentence into instructions, where a comma, a colon, "and" or "then" is followed by a verb such as "click".
 */
function splitSegments(sentence: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const border of sentence.matchAll(borderPattern)) {
    const before = sentence.slice(start, border.index + border[0].length);
    const isJoined =
      joinedPattern.test(before.trimEnd()) ||
      /^(?:and|then|but|so)\b/i.test(sentence.slice(border.index + border[0].length));
    if (!isJoined) continue;
    parts.push(before);
    start = border.index + border[0].length;
  }
  parts.push(sentence.slice(start));
  return parts
    .map((part) => part.replace(/(?:[\s,:]|\b(?:and|then|but|so)\b)+$/i, '').trim())
    .filter((part) => part !== '');
}

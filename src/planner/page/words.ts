/** Matches words that carry no information. */
const emptyPattern =
  /^(?:a|an|the|of|to|in|on|at|for|with|and|or|as|is|are|was|it|its|this|that|there|your|my|his|her|their|our|me|you|i|do|does|did|by|from|be|should|called|named|please)$/;

/**
 * Patterns of different spellings, each with its standard spelling. Each match is replaced before a text is split into
 * words.
 */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/\be-?mails?\b|\bmail address\b/g, 'email'],
  [/\b(?:user ?name|login name|user id)\b/g, 'user name'],
  [/\b(?:sign|log)(?:ged|ging)?[ -]?(?:in|on)\b|\blogin\b/g, 'login'],
  [/\b(?:sign|log)(?:ged|ging)?[ -]?(?:out|off)\b|\blogout\b/g, 'logout'],
  [/\b(?:zip(?: code)?|postal code|post code)\b/g, 'postcode'],
  [/\b(?:surname|family name)\b/g, 'last name'],
  [/\b(?:given name|forename)\b/g, 'first name'],
  [/\b(?:check-?out|till)\b/g, 'checkout'],
  [/⚙️?/gu, ' settings '],
  [/🛒|🧺/gu, ' basket '],
  [/🔍|🔎/gu, ' search '],
  [/[✕✖×]/gu, ' close '],
  [/☰/gu, ' menu '],
];

/** Groups of synonyms. The first word of a group replaces the others. */
const synonymGroups: readonly (readonly string[])[] = [
  ['basket', 'cart', 'bag', 'trolley'],
  ['phone', 'telephone', 'mobile'],
  ['town', 'city'],
  ['total', 'sum', 'altogether', 'amount'],
  ['birth', 'born', 'birthday'],
  ['built', 'construction', 'constructed'],
  ['send', 'submit'],
  ['remove', 'delete'],
  ['picture', 'image', 'photo'],
];
const chiefWords = new Map(
  synonymGroups.flatMap(([chief = '', ...others]) => others.map((other) => [other, chief] as const)),
);

/**
 * Returns the words of a text that have a meaning, in order. The words are in lower case, without accents and endings,
 * and synonyms are replaced by one word.
 */
export function getWords(text: string): string[] {
  // Names of controls often run together where a page breaks the line: "ComfortAs Basic".
  const lower = text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss');
  const even = spellings.reduce((so, [pattern, way]) => so.replace(pattern, way), lower);
  const found = even.match(/[\p{L}\p{N}]+(?:[.:,@-][\p{L}\p{N}]+)*/gu) ?? [];
  return found.filter((word) => !emptyPattern.test(word)).map(stem);
}

function stem(word: string): string {
  const plain = /^\d+(?:st|nd|rd|th)$/.test(word) ? word.slice(0, -2) : word;
  const whole = chiefWords.get(plain) ?? plain;
  if (/\d/.test(whole) || whole.length < 4) return whole;
  const bare = whole
    .replace(/ies$/, 'y')
    .replace(/(?<=[a-z]{2})(?:ches|shes|xes|sses)$/, (end) => end.slice(0, -2))
    .replace(/(?<=[a-z]{2}[^s])s$/, '')
    .replace(/(?<=[a-z]{3})(?:ing|ed)$/, '')
    .replace(/(?<=[a-z]{3})e$/, '');
  return chiefWords.get(bare) ?? bare;
}

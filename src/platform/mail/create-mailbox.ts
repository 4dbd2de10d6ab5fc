import { mailWaitMs, type Mail, type MailSummary, type MailWish, type Mailbox } from '#agent/mailbox.ts';
import type { Clock } from '#lib/clock.ts';
import { type MailHead, type MailRow, findMail, mailHeads, markRead } from '#store/queries/mails.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of a mailbox. */
interface MailboxDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly arrivals: Arrivals;
}

/** Creates the mailbox of a session. */
export function createMailbox(
  deps: MailboxDeps,
  { sessionId, address }: { readonly sessionId: string; readonly address: string },
): Mailbox {
  const { db, clock } = deps;
  return {
    address,
    list: async () => (await mailHeads(db, sessionId)).map(summarize),
    wait: (wish, signal) => wait(deps, { sessionId, wish }, signal),
    async read(number) {
      const row = await findMail(db, sessionId, number);
      if (row === undefined) return null;
      await markRead(db, row, clock.now());
      return toMail(row);
    },
  };
}

interface Waiting {
  readonly sessionId: string;
  readonly wish: MailWish;
}

async function wait(
  { db, clock, arrivals }: MailboxDeps,
  { sessionId, wish }: Waiting,
  signal: AbortSignal,
): Promise<Mail | null> {
  signal.throwIfAborted();
  const timeout = new AbortController();
  const cancel = clock.at(clock.now() + (wish.withinMs ?? mailWaitMs), () => timeout.abort());
  const over = AbortSignal.any([signal, timeout.signal]);
  try {
    for (;;) {
      // Subscribed before the mailbox is read, so that no arrival is missed.
      const arrival = nextArrival(arrivals, sessionId, over);
      const heads = await mailHeads(db, sessionId);
      const wanted = heads.findLast((head) => head.readAt === null && fits(head, wish));
      const found = wanted && (await findMail(db, sessionId, wanted.number));
      if (found !== undefined) {
        arrival.forget();
        signal.throwIfAborted();
        await markRead(db, found, clock.now());
        return toMail(found);
      }
      await arrival.come;
      signal.throwIfAborted();
      if (timeout.signal.aborted) return null;
    }
  } finally {
    cancel();
  }
}

/**
 * Returns a promise (`come`) that resolves at the next arrival of mail, when `over` aborts, or when `forget` is called.
 */
function nextArrival(
  arrivals: Arrivals,
  sessionId: string,
  over: AbortSignal,
): { readonly come: Promise<void>; readonly forget: () => void } {
  const { promise: come, resolve } = Promise.withResolvers<void>();
  const unwatch = arrivals.watch(sessionId, () => forget());
  const forget = (): void => {
    unwatch();
    over.removeEventListener('abort', forget);
    resolve();
  };
  if (over.aborted) forget();
  else over.addEventListener('abort', forget, { once: true });
  return { come, forget };
}

function fits(row: MailHead, { from = '', subject = '', after = 0 }: MailWish): boolean {
  const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.trim().toLowerCase());
  return row.number > after && holds(`${row.senderName} <${row.sender}>`, from) && holds(row.subject, subject);
}

function summarize(row: MailHead): MailSummary {
  return {
    number: row.number,
    from: row.sender,
    fromName: row.senderName,
    subject: row.subject,
    receivedAt: row.receivedAt,
    isNew: row.readAt === null,
  };
}

function toMail(row: MailRow): Mail {
  // The mailroom writes these columns from values of the same types.
  const links: Mail['links'] = JSON.parse(row.links);
  const attachments: Mail['attachments'] = JSON.parse(row.attachments);
  return { ...summarize(row), text: row.text, links, codes: codesIn(row.subject, row.text), attachments };
}

/** A notifier of the tasks in this process that wait for mail of a session. */
interface Arrivals {
  /** Calls `action` at each arrival of mail for the session, until the returned function is called. */
  watch(sessionId: string, action: () => void): () => void;
  tell(sessionId: string): void;
  /** Number of subscribers; for tests. */
  readonly watchers: number;
}

/** Creates a notifier without subscribers. */
export function createArrivals(): Arrivals {
  const watchers = new Map<string, Set<() => void>>();
  return {
    watch(sessionId, action) {
      const sessionWatchers = watchers.get(sessionId) ?? new Set();
      watchers.set(sessionId, sessionWatchers.add(action));
      return () => {
        sessionWatchers.delete(action);
        if (sessionWatchers.size === 0 && watchers.get(sessionId) === sessionWatchers) watchers.delete(sessionId);
      };
    },
    tell: (sessionId) => watchers.get(sessionId)?.forEach((action) => action()),
    get watchers() {
      return [...watchers.values()].reduce((sum, own) => sum + own.size, 0);
    },
  };
}

const codesMax = 5;
/** Maximum number of characters that are searched for codes, which are near the beginning of a mail. */
const textMax = 20_000;
/** Number of characters around a candidate that are searched for keywords. */
const contextLength = 60;

/** Matches candidates for codes; parts of URLs, amounts, dates and phone numbers are excluded. */
const formPattern =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_/+#@$€£¥-]|\d[.,:])(?:\d{4}[ -]\d{4}|\d{3}[ -]\d{3}|\d{4,8}|\d(?: \d){3,7}|[A-Z]{1,3}-\d{4,8}|[A-Z\d]{4}-[A-Z\d]{4}|[A-Z\d]{3}-[A-Z\d]{3}|(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{4,10})(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_@-]|[.,:/]\d| ?[€$£¥%])/gu;

interface Candidate {
  readonly code: string;
  readonly score: number;
}

/**
 * Returns up to five verification codes in a mail, the likeliest first. Spaces and hyphens are removed from numbers.
 * Only text near a keyword counts, in about thirty languages, so that order numbers and years are excluded.
 */
export function codesIn(subject: string, text: string): string[] {
  const lines = [subject, ...text.slice(0, textMax).split('\n')].map(plain).filter((line) => line !== '');
  const isToldBySubject = codeWord.test(plain(subject));
  const best = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const around = lines.slice(Math.max(0, index - 2), index + 2).filter((_, place) => place !== Math.min(index, 2));
    for (const { code, score } of candidatesIn(line, { around, isToldBySubject }))
      best.set(code, Math.max(score, best.get(code) ?? 0));
  }
  const sorted = [...best].toSorted(([, one], [, other]) => other - one);
  return sorted.slice(0, codesMax).map(([code]) => code);
}

/**
 * Returns a line in Unicode form NFKC, with ASCII digits instead of Arabic and Devanagari digits, and without URLs and
 * mail addresses.
 */
function plain(line: string): string {
  return (
    line
      // Surrounds these marks with blanks, because their ASCII forms look like separators inside numbers.
      .replaceAll(/[，、。：；]/g, ' $& ')
      .normalize('NFKC')
      .slice(0, textMax)
      .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16))
      .replaceAll(/[\u0966-\u096f]/g, (digit) => String(digit.charCodeAt(0) - 0x966))
      .replaceAll(/\S+/g, withoutAddress)
      .replaceAll(/[ \t]+/g, ' ')
      .trim()
  );
}

/**
 * Returns the part of a word before a URL, followed by a blank; a blank for a word with a mail address. Returns any
 * other word unchanged.
 */
function withoutAddress(word: string): string {
  const at = word.indexOf('@', 1);
  if (at > 0 && at < word.length - 1) return ' ';
  const start = word.search(/https?:\/\/./i);
  return start < 0 ? word : `${word.slice(0, start)} `;
}

interface Surroundings {
  readonly around: readonly string[];
  readonly isToldBySubject: boolean;
}

function candidatesIn(line: string, surroundings: Surroundings): Candidate[] {
  return Array.from(line.matchAll(formPattern)).flatMap(({ 0: found, index }): Candidate[] => {
    const place = { found, before: line.slice(0, index), after: line.slice(index + found.length) };
    const score = scoreCandidate(place, surroundings);
    return score === 0 ? [] : [{ code: typed(found), score }];
  });
}

interface Place {
  readonly found: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the score of a candidate. A higher score means that a verification code is more likely; 0 means that the
 * candidate is no code.
 */
function scoreCandidate({ found, before, after }: Place, { around, isToldBySubject }: Surroundings): number {
  // Only the nearest characters are tested: an expression anchored at the end would try every position of a long line.
  if (noCodeBefore.test(before.slice(-contextLength)) || noCodeAfter.test(after.slice(0, contextLength))) return 0;
  const isAlone = !/[\p{L}\p{N}]/u.test(before + after);
  // A year in a sentence is a year, and letters alone are a word, unless they are on a line of their own.
  if (!isAlone && (/^(?:19|20)\d\d$/.test(found) || !/\d/.test(found))) return 0;
  const isNear = codeWord.test(before.slice(-contextLength)) || codeWord.test(after.slice(0, contextLength));
  if (isNear) return isAlone ? 6 : 4;
  const isTold = isToldBySubject || around.some((other) => codeWord.test(other));
  return isAlone && isTold ? 3 : 0;
}

function typed(found: string): string {
  return /^[\d -]+$/.test(found) ? found.replaceAll(/[ -]/g, '') : found;
}

/**
 * Patterns of words for a verification code by language. Some patterns, such as the pattern of `code`, also match the
 * end of a longer word (Bestätigungscode).
 */
const words = [
  // English, German, French, Dutch: "code"; but no zip, voucher or country code.
  '(?<!(?:zip|postal|post|promo|promotional|discount|voucher|coupon|gift|country|area|source|bar|qr|rabatt|gutschein|promo|remise|de)[ -]?)codes?(?![\\p{L}])',
  // English, German
  '(?<!\\p{L})(?:otp|passcode|one-time (?:password|pin)|pin|tan)(?!\\p{L})',
  // Spanish, Portuguese, Italian, Catalan, Romanian
  'c[oó]dig[oouos]{1,2}(?!\\p{L})',
  'codice(?!\\p{L})',
  'codul(?!\\p{L})',
  '(?<!\\p{L})clave(?!\\p{L})',
  // Polish, Swedish, Turkish, Czech, Hungarian, Danish, Norwegian, Indonesian, Finnish
  'k[oó]d(?:u|e|en|em|et|ja|unuz|un|ot|od)?(?!\\p{L})',
  'koodi(?:si)?(?!\\p{L})',
  '(?<!\\p{L})şifre',
  // Russian, Ukrainian, Bulgarian, Greek
  '(?<!\\p{L})код(?:а|ом|ът)?(?!\\p{L})',
  'κωδικ[οό]ς?',
  // Japanese, Chinese, Korean
  'コード|認証番号|確認番号|暗証番号|ワンタイムパスワード',
  '[验驗][证證][码碼]|校验码|动态码|動態碼|代码',
  '코드|인증번호|인증 번호',
  // Arabic, Persian, Hebrew, Hindi, Thai, Vietnamese
  'رمز|كود|کد',
  'קוד',
  'कोड',
  'รหัส',
  '(?<!\\p{L})mã(?!\\p{L})',
];

/** Matches any word for a verification code. */
// oxlint-disable-next-line svc/no-dynamic-pattern -- a list of our own words
const codeWord = new RegExp(words.join('|'), 'iu');

/** Matches text directly before a number that is not a code, such as words for order numbers and dates. */
const noCodeBefore =
  /(?:(?<!\p{L})(?:order|invoice|ticket|case|account|customer|reference|ref|bestell(?:ung|nummer)?|rechnung(?:snummer)?|auftrag(?:snummer)?|kunden-?(?:nr|nummer)|commande|facture|pedido|factura|ordine|fattura|zip|plz|box|tel|phone|fax|call|since|copyright|total|seit|room)(?!\p{L})|[©№]|(?<!\p{L})n[ro°]\.?)[\s:.#№n°o-]{0,6}$|(?<!\p{L})(?:usd|eur|gbp)\s?$/iu;

/** Matches text directly after a number that is not a code, such as units and currencies. */
const noCodeAfter =
  /^\s*(?:usd|eur|gbp|minut|second|hour|day|stunde|sekund|tage|heure|jour|segund|hora|ore|px|kb|mb|points?|分|秒|円|元|원)/iu;

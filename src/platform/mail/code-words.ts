/** Words for a code that is to be typed, also as the end of a longer word (Bestätigungscode), by language. */
const WORDS = [
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

/** Whether a text speaks of a code. */
// oxlint-disable-next-line svc/no-dynamic-pattern -- a list of our own words
export const CODE_WORD = new RegExp(WORDS.join('|'), 'iu');

/** What stands right before a number that is no code: it numbers or dates something. */
export const NO_CODE_BEFORE =
  /(?:(?<!\p{L})(?:order|invoice|ticket|case|account|customer|reference|ref|bestell(?:ung|nummer)?|rechnung(?:snummer)?|auftrag(?:snummer)?|kunden-?(?:nr|nummer)|commande|facture|pedido|factura|ordine|fattura|zip|plz|box|tel|phone|fax|call|since|copyright|total|seit|room)(?!\p{L})|[©№]|(?<!\p{L})n[ro°]\.?)[\s:.#№n°o-]{0,6}$|(?<!\p{L})(?:usd|eur|gbp)\s?$/iu;

/** What stands right after one: it is an amount of something. */
export const NO_CODE_AFTER =
  /^\s*(?:usd|eur|gbp|minut|second|hour|day|stunde|sekund|tage|heure|jour|segund|hora|ore|px|kb|mb|points?|分|秒|円|元|원)/iu;

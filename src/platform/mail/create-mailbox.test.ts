import { expect, test } from 'vitest';
import { threadTimeMs } from '#lib/testing/thread-time.ts';
import { codesIn } from './create-mailbox.ts';

const mails = [
  {
    name: 'English, in the sentence',
    subject: 'Sign in',
    text: 'Your verification code is 482913. It expires in 10 minutes.',
    want: ['482913'],
  },
  {
    name: 'English, alone in its line',
    subject: 'Your code',
    text: 'Hi Ada,\n\nEnter this code to continue:\n\n739 104\n\nThanks',
    want: ['739104'],
  },
  {
    name: 'English, with a hyphen',
    subject: 'Confirm',
    text: 'Your confirmation code is below\nXKD-42F\nQuestions? Call +1 555 0100 200.',
    want: ['XKD-42F'],
  },
  {
    name: 'English, with a prefix',
    subject: 'G-551204 is your verification code',
    text: 'Do not share it.',
    want: ['G-551204'],
  },
  { name: 'English, digits with blanks', subject: 'Log in', text: 'One-time code\n4 0 2 9 1 7', want: ['402917'] },
  {
    name: 'English, letters alone',
    subject: 'Activate your device',
    text: 'Use this code:\nWDJB-MJHT',
    want: ['WDJB-MJHT'],
  },
  {
    name: 'German',
    subject: 'Ihr Bestätigungscode',
    text: 'Bestellnummer: 88213377\nIhr Bestätigungscode lautet: 4711 0815\nGültig 30 Minuten.',
    want: ['47110815'],
  },
  {
    name: 'German, TAN',
    subject: 'Auftrag',
    text: 'Ihre TAN für die Überweisung über 1200,00 EUR: 660144',
    want: ['660144'],
  },
  {
    name: 'French',
    subject: 'Connexion',
    text: 'Votre code de vérification est le 091 482.\nCommande n° 20261121',
    want: ['091482'],
  },
  { name: 'Spanish', subject: 'Confirma tu cuenta', text: 'Tu código de verificación es: 305871', want: ['305871'] },
  { name: 'Portuguese', subject: 'Acesso', text: 'O seu código de acesso: 7788', want: ['7788'] },
  { name: 'Italian', subject: 'Accesso', text: 'Il tuo codice di verifica è 118822', want: ['118822'] },
  { name: 'Polish', subject: 'Logowanie', text: 'Twój kod weryfikacyjny: 665544', want: ['665544'] },
  { name: 'Turkish', subject: 'Giriş', text: 'Doğrulama kodunuz: 907132', want: ['907132'] },
  { name: 'Finnish', subject: 'Kirjautuminen', text: 'Vahvistuskoodi: 246810', want: ['246810'] },
  { name: 'Russian', subject: 'Вход', text: 'Ваш код подтверждения: 551177', want: ['551177'] },
  { name: 'Greek', subject: 'Σύνδεση', text: 'Ο κωδικός σας είναι 443322', want: ['443322'] },
  {
    name: 'Japanese, full width',
    subject: '認証コードのお知らせ',
    text: '認証コード：１２３４５６\n有効期限は10分です。',
    want: ['123456'],
  },
  { name: 'Chinese', subject: '登录', text: '您的验证码是 887766，5分钟内有效。', want: ['887766'] },
  { name: 'Korean', subject: '로그인', text: '인증번호 [334455]를 입력하세요.', want: ['334455'] },
  { name: 'Arabic digits', subject: 'تسجيل الدخول', text: 'رمز التحقق: ١٢٣٤٥٦', want: ['123456'] },
  { name: 'Hebrew', subject: 'כניסה', text: 'קוד האימות שלך: 998811', want: ['998811'] },
  {
    name: 'the likelier one first',
    subject: 'Codes',
    text: 'Your code: 111222\n\n333444\n',
    want: ['111222', '333444'],
  },
  {
    name: 'an order is none',
    subject: 'Order 4471220',
    text: 'Your order number 4471220 ships on 2026-11-21. Total: $1299.',
    want: [],
  },
  { name: 'a voucher is none', subject: 'Sale', text: 'Use promo code SAVE2026 at checkout until 2026.', want: [] },
  { name: 'a zip code is none', subject: 'Address', text: 'Your zip code 90210 was saved.', want: [] },
  {
    name: 'a part of an address is none',
    subject: 'Confirm',
    text: 'The code is in https://example.com/c/482913?x=1',
    want: [],
  },
  { name: 'a duration is none', subject: 'Your code', text: 'The code was sent 3600 seconds ago.', want: [] },
  {
    name: 'a telephone number is none',
    subject: 'Your code',
    text: 'If you did not ask for a code call 5550100.',
    want: [],
  },
  { name: 'no code at all', subject: 'Welcome', text: 'Welcome to the forum, we are 12345 members.', want: [] },
] as const;

for (const { name, subject, text, want } of mails)
  test(`finds codes: ${name}`, () => expect(codesIn(subject, text)).toEqual(want));

// Each of these texts took more than a second in the serving thread with an earlier implementation.
test.each([
  '1 '.repeat(9_000),
  'A1'.repeat(10_000),
  'a'.repeat(20_000),
  '12-'.repeat(6_600),
  `order${'#'.repeat(19_980)} 1234 1234`,
  '\ufdfa1234 '.repeat(3_300),
  'code\n1234\n'.repeat(2_000),
])('searches a hostile text quickly: %.20s', (text) => {
  const before = threadTimeMs();
  expect(codesIn('Your code', text).length).toBeLessThanOrEqual(5);
  expect(threadTimeMs() - before).toBeLessThan(1_000);
});

import { evaluateArithmetic } from './arithmetic.ts';
import { type Phrase, clause } from './phrase.ts';
import { MARK } from './quoting.ts';

const ONLY = '(?:only|just|exactly)';
const NOUN = '(?:words?|text|phrase|sentence|string|message|number|letter)';
/** Words for a text that the goal itself gives, such as "the exact text". */
const NAMED = `(?:the|this)\\s+(?:(?:exact|literal|following|single|same)\\s+)*${NOUN}`;
/** A text does not begin with a word that says where the text is to be found: "the text of the page" is to be read. */
const GIVEN = '(?!(?:of|on|from|in|at|under|below|above|beside|between|inside|that|which|shown|you)\\b)';
/** An answer that the goal describes instead of giving it: "Reply with the price" is no text to repeat. */
const NOT_DESCRIBED = '(?!(?:the|its|what|which|whether|how)\\b)';

const SAY = `(?:(?:reply|respond|answer)(?:\\s+${ONLY})?\\s+with|say|output|print)(?:\\s+${ONLY})?`;
const REPLY = `(?:reply|respond|answer)(?:\\s+${ONLY})?\\s+with(?:\\s+${ONLY})?`;
const SPEAK = `(?:say|output|print)(?:\\s+${ONLY})?`;
const RETURN = '(?:return|give\\s+me|give\\s+back|write|send|send\\s+me|echo|repeat|provide)';

const ASK = "(?:what\\s+is|what's|how\\s+much\\s+is|calculate|compute|evaluate|solve|work\\s+out)";
const TELL = `(?:(?:tell|give|show)\\s+me|return|find|${REPLY})`;
const RESULT = 'the\\s+(?:result|answer|value)\\s+(?:of|to)';

/** Instructions that are answered with a text, without a browser. */
export const TEXT_PHRASES: readonly Phrase[] = [
  {
    name: 'calculate',
    description:
      'Answers with the result of plus, minus, times and divided by, exact up to 10 decimal places, without a browser.',
    examples: ['What is 2 + 2?', 'Calculate (1.5 + 2) * 4', 'Reply with the result of 12 divided by 4'],
    pattern: clause(
      `(?:${ASK}\\s+(?:${RESULT}\\s+)?|${TELL}\\s+${RESULT}\\s+)(?<expression>[\\d.(−-][\\d\\s().+*/×÷·−–a-z-]*?)\\s*=?`,
    ),
    actions: ({ expression = '' }) => {
      const text = evaluateArithmetic(expression);
      return text === null ? null : [{ kind: 'say', text }];
    },
  },
  {
    name: 'say',
    description: 'Answers with a text, without a browser.',
    examples: [
      'Reply with the word ready',
      'Say hello',
      'Answer with exactly "4"',
      'Return the exact text: hello world',
    ],
    pattern: clause(
      `(?:${SAY}\\s*:\\s*(?<text>.+?)` +
        `|${SAY}\\s+${NAMED}(?:\\s*:\\s*|\\s+${GIVEN})(?<text2>.+?)` +
        `|${RETURN}\\s+(?:${ONLY}\\s+)?(?:${NAMED}|${ONLY})(?:\\s*:\\s*(?<text3>.+?)|\\s+(?<text4>${MARK}))` +
        `|${RETURN}\\s+(?:${ONLY}\\s+)?the\\s+(?:exact|literal)\\s+${NOUN}\\s+${GIVEN}(?<text5>.+?)` +
        `|${RETURN}\\s+(?:${ONLY}\\s+)?the\\s+(?:single\\s+)?word\\s+${GIVEN}(?<text6>[^\\s\\uE000]+)` +
        `|${REPLY}\\s+${NOT_DESCRIBED}(?<text7>.+?)|${SPEAK}\\s+(?<text8>.+?))`,
    ),
    actions: (parts) => [{ kind: 'say', text: Object.values(parts).join('') }],
  },
];

const ANYTHING_MORE = '(?:text|words?|explanations?|punctuation|comments?|quotes|quotation\\s+marks)';

/** What people add to a text that they ask for; it is heeded when nothing but the text is answered. */
export const TEXT_REMARK: RegExp = clause(
  '(?:(?:with\\s+)?nothing\\s+(?:else|more)' +
    `|(?:with\\s+)?no\\s+(?:(?:other|further|additional|extra)\\s+)?${ANYTHING_MORE}` +
    `|without\\s+(?:any\\s+)?(?:(?:other|further|additional|extra)\\s+)?${ANYTHING_MORE}` +
    "|(?:do\\s+not|don't)\\s+(?:(?:add|say|write|output|include)\\s+anything(?:\\s+(?:else|more))?|explain(?:\\s+it)?)" +
    "|(?:do\\s+not|don't)\\s+(?:use|open)\\s+(?:the|a|any)\\s+(?:browser|tools?|web|internet|websites?|pages?)" +
    `|(?:(?:${REPLY}|give\\s+me|return|say|output|print)\\s+)?(?:(?:only|just)\\s+)?the\\s+(?:number|result|answer)(?:\\s+only)?)`,
);

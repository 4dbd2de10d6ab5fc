import { unreachable } from '#agent/answer/plan.ts';

/**
 * Maximum number of tokens of an expression. With this limit and `numberCharactersMax`, the largest value has fewer
 * than 800 digits.
 */
const tokensMax = 100;
const numberCharactersMax = 15;
/**
 * Maximum number of decimal places of a result. A result with more places is rounded, and "about" is written before it.
 */
const decimalsMax = 10;

type Operator = '+' | '-' | '*' | '/';
type Token = { readonly kind: 'number'; readonly value: Fraction } | { readonly kind: Operator | '(' | ')' };

/** An exact value with a positive denominator. */
interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

/**
 * Evaluates an arithmetic expression of decimal numbers with `+ - * /`, `× · ÷ −`, parentheses, and words such as plus
 * or "divided by". The result has at most 10 decimal places; a rounded result begins with "about". Returns null for
 * other text, for a text without an operator, and for a division by zero. Also returns null for more than 100 tokens or
 * a number of more than 15 characters.
 */
export function evaluateArithmetic(text: string): string | null {
  const tokens = tokenize(text);
  if (tokens === null) return null;
  const reader: Reader = { tokens, at: 0, operations: 0 };
  const value = readSum(reader);
  return value === null || reader.at < tokens.length || reader.operations === 0 ? null : shown(value);
}

const operatorKinds: Readonly<Record<string, Operator | '(' | ')'>> = {
  '+': '+',
  '-': '-',
  '−': '-',
  '–': '-',
  '*': '*',
  '×': '*',
  '·': '*',
  '/': '/',
  '÷': '/',
  '(': '(',
  ')': ')',
  plus: '+',
  minus: '-',
  times: '*',
  x: '*',
  over: '/',
  'multiplied by': '*',
  'divided by': '/',
};

function tokenize(text: string): readonly Token[] | null {
  const tokens: Token[] = [];
  // Alternatives begin with different characters, so that the scan takes linear time.
  for (const [part] of text.toLowerCase().matchAll(/[\d.]+|[a-z]+(?:\s+by\b)?|\S/g)) {
    const kind = operatorKinds[part.replace(/\s+/, ' ')];
    const value = kind === undefined ? readNumber(part) : null;
    if (kind !== undefined) tokens.push({ kind });
    else if (value !== null) tokens.push({ kind: 'number', value });
    else return null;
    if (tokens.length > tokensMax) return null;
  }
  return tokens;
}

function readNumber(text: string): Fraction | null {
  if (text.length > numberCharactersMax || !/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text)) return null;
  const [whole = '', decimals = ''] = text.split('.');
  return { top: BigInt(whole + decimals), bottom: 10n ** BigInt(decimals.length) };
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  operations: number;
}

function readSum(reader: Reader): Fraction | null {
  return readChain(reader, ['+', '-'], readProduct);
}

function readProduct(reader: Reader): Fraction | null {
  return readChain(reader, ['*', '/'], readFactor);
}

function readChain(
  reader: Reader,
  operators: readonly Operator[],
  readPart: (reader: Reader) => Fraction | null,
): Fraction | null {
  let value = readPart(reader);
  for (;;) {
    const operator = operators.find((kind) => kind === reader.tokens[reader.at]?.kind);
    if (value === null || operator === undefined) return value;
    reader.at += 1;
    reader.operations += 1;
    const next = readPart(reader);
    value = next === null ? null : apply(operator, value, next);
  }
}

function readFactor(reader: Reader): Fraction | null {
  const token = reader.tokens[reader.at];
  reader.at += 1;
  if (token?.kind === 'number') return token.value;
  if (token?.kind === '-') {
    const value = readFactor(reader);
    return value === null ? null : { top: -value.top, bottom: value.bottom };
  }
  if (token?.kind !== '(') return null;
  const value = readSum(reader);
  const isClosed = reader.tokens[reader.at]?.kind === ')';
  reader.at += 1;
  return isClosed ? value : null;
}

function apply(operator: Operator, left: Fraction, right: Fraction): Fraction | null {
  const bottom = left.bottom * right.bottom;
  switch (operator) {
    case '+':
      return { top: left.top * right.bottom + right.top * left.bottom, bottom };
    case '-':
      return { top: left.top * right.bottom - right.top * left.bottom, bottom };
    case '*':
      return { top: left.top * right.top, bottom };
    case '/':
      return divide(left, right);
    default:
      return unreachable(operator);
  }
}

function divide(left: Fraction, right: Fraction): Fraction | null {
  if (right.top === 0n) return null;
  const sign = right.top < 0n ? -1n : 1n;
  return { top: sign * left.top * right.bottom, bottom: sign * left.bottom * right.top };
}

/** Returns a fraction in decimal notation. Rounds half away from zero if it has too many decimal places. */
function shown({ top, bottom }: Fraction): string {
  const size = top < 0n ? -top : top;
  const scaled = size * 10n ** BigInt(decimalsMax);
  const rounded = (2n * scaled + bottom) / (2n * bottom);
  const digits = rounded.toString().padStart(decimalsMax + 1, '0');
  const whole = digits.slice(0, -decimalsMax);
  const decimals = withoutZeros(digits.slice(-decimalsMax));
  const sign = top < 0n && rounded !== 0n ? '-' : '';
  const about = rounded * bottom === scaled ? '' : 'about ';
  return `${about}${sign}${whole}${decimals === '' ? '' : `.${decimals}`}`;
}

function withoutZeros(decimals: string): string {
  let end = decimals.length;
  while (decimals[end - 1] === '0') end -= 1;
  return decimals.slice(0, end);
}

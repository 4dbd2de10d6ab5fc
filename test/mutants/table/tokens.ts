import type { Mutant } from '../mutant.ts';
import { details } from '../tampers.ts';

/** A change of one token of an error text. It is made in every text that matches `from`. */
interface Token {
  readonly id: string;
  readonly breaks: string;
  readonly from: RegExp;
  readonly to: string;
  readonly target: Mutant['target'];
}

const tokens: readonly Token[] = [
  { id: 'first-word', breaks: 'begins with a lower-case letter', from: /^Model "/, to: 'model "', target: 'ERR-10' },
  {
    id: 'model-bare',
    breaks: 'names the model without quotes',
    from: /^Model "([^"]*)"/,
    to: 'Model $1',
    target: 'ERR-12',
  },
  {
    id: 'provider-bracket',
    breaks: 'has other brackets around the list',
    from: /\((provider "[^"]*")\)/,
    to: '[$1]',
    target: 'ERR-10',
  },
  {
    id: 'provider-empty',
    breaks: 'names no provider between its quotes',
    from: /\(provider "[^"]*"\)/,
    to: '(provider "")',
    target: 'ERR-10',
  },
  {
    id: 'verb',
    breaks: 'says "accept" instead of "support"',
    from: /does not support/,
    to: 'does not accept',
    target: 'ERR-12',
  },
  {
    id: 'level-other',
    breaks: 'names another level',
    from: /thinking_level="[^"]*"/,
    to: 'thinking_level="other"',
    target: 'ERR-10',
  },
  {
    id: 'stop',
    breaks: 'has no period after its first sentence',
    from: /\. Supported/,
    to: ' Supported',
    target: 'ERR-12',
  },
  {
    id: 'list-word',
    breaks: 'says "allowed" instead of "supported"',
    from: /Supported values/,
    to: 'Allowed values',
    target: 'ERR-10',
  },
  {
    id: 'list-short',
    breaks: 'omits the last value',
    from: /(Supported values:.*), [a-z]+$/,
    to: '$1',
    target: 'ERR-12',
  },
  {
    id: 'path-slash',
    breaks: 'writes the path with a slash',
    from: /modelParams\.(\w+)\.(\w+)/,
    to: 'modelParams.$1/$2',
    target: 'ERR-13',
  },
  { id: 'value-other', breaks: 'names another value', from: /='([^']*)'/, to: "='x$1'", target: 'ERR-12' },
];

const rows = ['ERR-06', 'ERR-07', 'ERR-08', 'ERR-09', 'ERR-10', 'ERR-11', 'ERR-12', 'ERR-13', 'ERR-14'] as const;

/** Servers whose error text for an unsupported value differs in one token. */
export const tokenMutants: readonly Mutant[] = tokens.map(({ id, breaks, from, to, target }) => ({
  id: `token-${id}`,
  breaks: `The error text for an unsupported value ${breaks}.`,
  server: 'reference',
  only: rows,
  target,
  mayAlso: rows.filter((row) => row !== target),
  tamper: details((detail) => {
    const { msg } = detail;
    return typeof msg === 'string' && msg.includes('does not support')
      ? { ...detail, msg: msg.replace(from, to) }
      : detail;
  }),
}));

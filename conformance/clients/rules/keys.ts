import { clientFacts } from '#generated/client-facts.ts';
import type { ClientExchange, TrialRun } from '../recording.ts';
import { type JudgeTrial, broken, brokenByFirst, calls, kept, open } from './judged.ts';

const header = clientFacts.keyHeader.toLowerCase();

/** Judges CLIENT-KEY-01: every request to the API must have a key in the documented header. */
export const keyInHeader: JudgeTrial = (run) => {
  if (calls(run).length === 0) return open('the program called no operation');
  if (run.trial.key === 'absent') return open('the program got no key');
  return brokenByFirst(calls(run), ({ headers }) =>
    (headers[header] ?? '') === '' ? `found no ${clientFacts.keyHeader}, expected the key in it` : undefined,
  );
};

/** Judges CLIENT-KEY-02: the key must not appear in another header, a URL or a body. */
export const keyNowhereElse: JudgeTrial = (run) =>
  withKey(run, (key) => {
    if (run.exchanges.length === 0) return open('the program sent nothing');
    const socket = run.sockets.find(({ target }) => target.includes(key));
    if (socket !== undefined) return broken('found the key in the address of a CDP connection');
    return brokenByFirst(run.exchanges, (exchange) => straySpot(exchange, key));
  });

function straySpot({ headers, target, body }: ClientExchange, key: string): string | undefined {
  const name = Object.keys(headers).find((candidate) => candidate !== header && isIn(headers[candidate] ?? '', key));
  if (name !== undefined) return `found the key in the header ${name}, expected it in ${clientFacts.keyHeader} alone`;
  if (target.includes(key)) return 'found the key in the address, which logs and proxies keep';
  return body.includes(key) ? 'found the key in the body' : undefined;
}

/** Returns whether a value contains the key, as plain text or in the credentials of Basic authentication. */
function isIn(value: string, key: string): boolean {
  const basic = /^basic (\S+)$/i.exec(value)?.[1];
  return value.includes(key) || (basic !== undefined && Buffer.from(basic, 'base64').includes(key));
}

/** Judges CLIENT-KEY-03: the program must not send the key to another host. */
export const keyToNoOtherHost: JudgeTrial = (run) =>
  withKey(run, (key) => {
    const elsewhere = run.exchanges.filter(({ host }) => host === 'elsewhere');
    const wasRedirected = run.exchanges.some(({ fault }) => fault?.do === 'redirect');
    if (elsewhere.length === 0 && !wasRedirected) return open('no answer led to another host');
    return brokenByFirst(elsewhere, ({ headers }) =>
      Object.values(headers).some((value) => isIn(value, key))
        ? 'found the key in a request to another host, expected it at the service alone'
        : undefined,
    );
  });

/** Judges CLIENT-KEY-04: the program must not print the key, a long part of it, or the key in Base64. */
export const keyNotPrinted: JudgeTrial = (run) =>
  withKey(run, (key) => {
    for (const name of ['stdout', 'stderr'] as const) {
      if (run.end[name].includes(key)) return broken(`found the key in ${name} of the program`);
      if (hasLongPart(run.end[name], key)) return broken(`found most of the key in ${name} of the program`);
      if (hasEncoded(run.end[name], key)) return broken(`found the key in Base64 in ${name} of the program`);
    }
    return run.exchanges.length === 0 ? open('the program sent nothing') : kept;
  });

/** Number of consecutive characters that identify a key. */
const tellingLength = 16;

/**
 * Returns true for a text that contains `tellingLength` consecutive characters of the key. Masking only a few
 * characters of a key leaves such a text.
 */
function hasLongPart(text: string, key: string): boolean {
  const starts = Array.from({ length: Math.max(0, key.length - tellingLength + 1) }, (_, at) => at);
  return starts.some((at) => text.includes(key.slice(at, at + tellingLength)));
}

/** Returns true for a text with the key as Base64, alone or as the credentials of Basic authentication. */
function hasEncoded(text: string, key: string): boolean {
  const words = text.match(/[A-Za-z0-9+/_-]{24,}/g) ?? [];
  return words.some((word) => Buffer.from(word, 'base64').includes(key));
}

/** Judges CLIENT-KEY-05: the program must use the key from its environment. */
export const keyOfEnvironment: JudgeTrial = (run) =>
  withKey(run, (key) => {
    const carrying = calls(run).filter(({ headers }) => (headers[header] ?? '') !== '');
    if (carrying.length === 0) return open('no call carried a key');
    return brokenByFirst(carrying, ({ headers }) =>
      headers[header] === key
        ? undefined
        : `found another key in ${clientFacts.keyHeader} than ${clientFacts.keyVariable} of the environment has`,
    );
  });

/** Judges CLIENT-KEY-06: without a key, the program must send no request and must exit with a failure. */
export const failsWithoutKey: JudgeTrial = ({ exchanges: [first], end }) => {
  if (first !== undefined) return broken('found a request without a key, expected a fault before any', first);
  return end.code === 0 ? broken('found success without a key and without a request, expected a fault') : kept;
};

function withKey({ key }: TrialRun, judge: (key: string) => ReturnType<JudgeTrial>): ReturnType<JudgeTrial> {
  return key === undefined ? open('the program got no key') : judge(key);
}

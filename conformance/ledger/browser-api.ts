import type { BrowserApi } from '../core/apis.ts';
import type { RequestSpec, Send } from '../core/request.ts';
import { succeeded } from '../core/exchange.ts';
import { isJsonObject, memberAt, type JsonValue } from '../core/json.ts';
import type { Ledger, Resources } from '../core/ledger.ts';
import { NotTestable } from '../core/outcome.ts';
import { pathWithId } from '../core/path-with-id.ts';
import type { OperationTarget, Target, TargetBrowsers } from '../core/target.ts';
import { type Decimal, formatDecimal, parseDecimal, sumDecimals } from '../core/decimal.ts';

/** Returns the reason why a target cannot create a standalone browser; undefined if it can. */
export function noBrowsers({ v4 }: Target): string | undefined {
  if (v4 === null) return 'this target does not offer V4';
  return v4.browsers === null
    ? 'the target file says that this target has no standalone browsers (v4.browsers)'
    : undefined;
}

/** Dependencies of the browser operations. */
export interface BrowserApiOptions {
  target: Target;
  send: Send;
  resources: Resources;
  ledger: Ledger;
}

/**
 * Ledgers of runs in which `get` has succeeded for a browser. Only in such a run does 404 or 410 mean that a browser
 * has ended.
 */
const showing = new WeakSet<Ledger>();

const creation = { generation: 'v4', operation: 'createBrowser', method: 'POST', path: '/browsers' } as const;
const stopBody = { action: 'stop' };

/** Creates the operations on the standalone browsers of one target. */
export function createBrowserApi({ target, send, resources, ledger }: BrowserApiOptions): BrowserApi {
  const request: BrowserApi['request'] = (operation, id) => {
    if (operation === 'stop') return stopRequest(id, stopBody);
    const place = requireBrowsers(target)[operation];
    return place === null ? undefined : { generation: 'v4', operation: names[operation], ...call(place, id) };
  };
  const statusIn = (json: JsonValue | undefined): string | undefined => {
    const { statusIn: place } = requireBrowsers(target);
    const status = place === null ? undefined : memberAt(json, place);
    return typeof status === 'string' ? status : undefined;
  };
  const readStatus: BrowserApi['readStatus'] = ({ json }) => statusIn(json);
  const isEndedRecord: BrowserApi['isEndedRecord'] = (record) => {
    const status = statusIn(record);
    return status === undefined ? undefined : requireBrowsers(target).ended.includes(status);
  };
  const hasEnded: BrowserApi['hasEnded'] = (exchange) => {
    if ([404, 410].includes(exchange.status)) return showing.has(ledger) ? true : undefined;
    const status = succeeded(exchange) ? readStatus(exchange) : undefined;
    return status === undefined ? undefined : requireBrowsers(target).ended.includes(status);
  };
  return {
    create: (body) => resources.create('browser', { ...creation, body }),
    trial: (body) => resources.trial('browser', { ...creation, body }),
    stop: (id, body = stopBody) => send({ ...stopRequest(id, body), invalid: body !== stopBody }),
    get: async (id) => {
      const spec = request('get', id);
      if (spec === undefined) return undefined;
      const exchange = await send(spec);
      if (succeeded(exchange)) showing.add(ledger);
      const entry = ledger.find('browser', id);
      const costUsd = browserCost(exchange.json, requireBrowsers(target));
      if (entry === undefined) return exchange;
      ledger.update(entry, {
        ...(hasEnded(exchange) === true ? { state: 'ended' } : {}),
        ...(costUsd === undefined ? {} : { costUsd }),
      });
      return exchange;
    },
    list: async () => {
      const spec = request('list', '');
      return spec === undefined ? undefined : send(spec);
    },
    readRecord: ({ json }) => (isJsonObject(json) ? json : {}),
    listed: (exchange) => {
      const items = memberAt(exchange.json, requireBrowsers(target).list?.items ?? '');
      return Array.isArray(items) ? items.filter(isJsonObject) : undefined;
    },
    request,
    readStatus,
    hasEnded,
    isEndedRecord,
  };
}

const names = { get: 'getBrowser', list: 'listBrowsers' } as const;

function requireBrowsers(target: Target): TargetBrowsers {
  const reason = noBrowsers(target);
  if (reason !== undefined || target.v4 === null || target.v4.browsers === null) throw new NotTestable(reason ?? '');
  return target.v4.browsers;
}

function stopRequest(id: string, body: JsonValue): RequestSpec {
  return { generation: 'v4', operation: 'stopBrowser', method: 'PATCH', path: pathWithId('/browsers/{id}', id), body };
}

function call({ method, path, body }: OperationTarget, id: string): Pick<RequestSpec, 'method' | 'path' | 'body'> {
  return { method, path: pathWithId(path, id), ...(body === undefined ? {} : { body }) };
}

/** Returns the cost in a browser record as a decimal string in US dollars; undefined if the record shows no cost. */
export function browserCost(json: JsonValue | undefined, offered: Pick<TargetBrowsers, 'costs'>): string | undefined {
  const sum = sumCosts(json, offered);
  return sum === undefined ? undefined : formatDecimal(sum);
}

/**
 * Returns the sum of the cost members in a browser record with all its digits. Skips members that are no decimal
 * strings; undefined if none remains.
 */
export function sumCosts(json: JsonValue | undefined, { costs }: Pick<TargetBrowsers, 'costs'>): Decimal | undefined {
  const shown = costs.flatMap((path) => {
    const part = memberAt(json, path);
    const amount = typeof part === 'string' ? parseDecimal(part) : undefined;
    return amount === undefined ? [] : [amount];
  });
  return shown.length === 0 ? undefined : sumDecimals(shown);
}

import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonValue, isJsonObject, memberAt } from '../../core/json.ts';
import { carries } from '../common/checks-part-expect-answer.ts';
import { show } from '../common/session-records.ts';

/** The billing account of V2 and V3. */
export const accountChecks: readonly Check[] = [
  check('ACCOUNT-01', { reads: true }, async (t) => {
    for (const exchange of await accounts(t)) {
      for (const member of balances)
        has(t, exchange, { member, what: 'a number', fits: (value) => typeof value === 'number' });
      has(t, exchange, { member: 'rateLimit', what: 'a whole number', fits: (value) => Number.isInteger(value) });
      has(t, exchange, {
        member: 'projectId',
        what: 'a uuid',
        fits: (value) => typeof value === 'string' && uuid.test(value),
      });
      has(t, exchange, { member: 'planInfo', what: 'a plan or null', fits: isPlan });
    }
  }),
  check('ACCOUNT-02', { reads: true }, async (t) => {
    const [first, ...others] = await accounts(t);
    if (first === undefined || others.length === 0) t.notTestable('one generation alone shows an account');
    for (const other of others) carries(t, other, ['projectId', memberAt(first?.json, 'projectId')]);
  }),
];

const balances = ['totalCreditsBalanceUsd', 'monthlyCreditsBalanceUsd', 'additionalCreditsBalanceUsd'];
const planMembers = [
  'planName',
  'subscriptionStatus',
  'subscriptionId',
  'subscriptionCurrentPeriodEnd',
  'subscriptionCanceledAt',
];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function accounts(t: CheckContext): Promise<Exchange[]> {
  const keys = (['v2.getBillingAccount', 'v3.getBillingAccount'] as const).filter((key) => t.operations.offers(key));
  const [first = 'v2.getBillingAccount'] = keys;
  t.operations.need(first);
  return Promise.all(keys.map((key) => t.operations.call(key)));
}

// A plan may be null for whoever pays as he goes.
function isPlan(value: JsonValue | undefined): boolean {
  return value === null || (isJsonObject(value) && planMembers.every((member) => member in value));
}

interface Expected {
  member: string;
  what: string;
  fits: (value: JsonValue | undefined) => boolean;
}

function has(t: CheckContext, exchange: Exchange, { member, what, fits }: Expected): void {
  const value = memberAt(exchange.json, member);
  const message = `the account of ${exchange.generation} has ${member} ${show(value)}; expected ${what}`;
  t.expect(succeeded(exchange) && fits(value), { cell: exchange.generation, exchange, message });
}

import type { components } from '#generated/v2.ts';
import type { Operation } from '../operation.ts';
import type { RequestContext } from './request-context.ts';
import type { Balance } from '#accounts/balance.ts';

/**
 * Returns the credit of the project: GET /billing/account of V2 and V3 (companion 4.10). A project has a single credit
 * without expiry, which the response shows as additional credit.
 */
export const getBillingAccount: Operation<RequestContext, null, Balance> = {
  decide: () => null,
  apply: (_command, context) => context.balance(),
  render: (balance, context) => ({ status: 200, body: renderAccount(balance, context) }),
};

const microsPerUsd = 1_000_000;

function renderAccount(
  balance: Balance,
  { rules, keyId, zeroDataRetention }: RequestContext,
): components['schemas']['Account'] {
  const left = (balance.creditMicros - balance.spentMicros) / microsPerUsd;
  return {
    name: balance.name,
    totalCreditsBalanceUsd: left,
    monthlyCreditsBalanceUsd: 0,
    additionalCreditsBalanceUsd: left,
    rateLimit: balance.activeMax,
    planInfo: {
      planName: rules.pricing.account.planName,
      subscriptionStatus: null,
      subscriptionId: null,
      subscriptionCurrentPeriodEnd: null,
      subscriptionCanceledAt: null,
    },
    isFreeTier: false,
    tracingDisabled: zeroDataRetention,
    apiKeyId: keyId,
    concurrentSessionLimit: balance.activeMax,
    activeSessionCount: balance.activeCount,
    projectId: balance.projectId,
  };
}

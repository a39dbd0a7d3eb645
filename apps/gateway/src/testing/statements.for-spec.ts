import type { StatementPosition, UsageLine } from '@svc/contracts';

/** What billing says of a wallet that has 20 USDC, half of it approved, and bought something. */
export function positionOf(wallet: string, changes: Partial<StatementPosition> = {}): StatementPosition {
  return {
    ...{ wallet, balance: '20000000', approved: '10000000', limitHead: '10000000', limitSafe: '9000000' },
    ...{ collectable: '9000000', available: '8500000', held: '300000', unsettled: '200000' },
    ...{ posted: '700000', credited: '0', settled: '500000', spendable: '8500000', openHolds: 2 },
    suspension: null,
    ...changes,
  };
}

export function usageLine(requestId: string, charged: string): UsageLine {
  return {
    ...{ requestId, createdAt: '2026-11-21T06:00:00.000001Z', keyId: 'key_1', model: 'svc/demo@1' },
    ...{ outcome: 'served', provider: `0x${'f'.repeat(40)}`, offerId: 'offer-1', attempts: 1, route: null },
    ...{ promptTokens: 1, completionTokens: 2, tokenSource: 'provider', firstTokenMs: 10, totalMs: 20 },
    ...{
      inputPricePerMtok: '1',
      outputPricePerMtok: '1',
      finishReason: 'stop',
      late: false,
      refunded: false,
    },
    ...{ held: charged, charged },
  };
}

import type { AdmitHoldRequest } from '@svc/contracts';
import { createMetricsRegistry } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import { GroupCommitError } from '../ledger/group-commit';
import { LedgerMetrics } from '../ledger/ledger.metrics';
import type { LedgerService } from '../ledger/ledger.service';
import type { AdmissionResult } from '../ledger/operation';
import type { QuotaLimitStore } from './quota-limit.store';
import { AdmissionService } from './admission.service';

const request: AdmitHoldRequest = {
  requestId: 'req_1',
  keyHash: 'a'.repeat(64),
  model: 'svc/demo@1',
  amount: '1500',
};

const short = { wallet: '0xa', keyId: 'key_1', limitedBy: 'wallet' } as const;

function admit(
  answer: () => Promise<AdmissionResult>,
  { willAfford = false, ...changes }: Partial<AdmitHoldRequest> & { willAfford?: boolean } = {},
) {
  const ledger = { admit: answer } as unknown as LedgerService;
  const metrics = new LedgerMetrics(createMetricsRegistry('test'));
  const limits = {
    meansLimitOf: () => Promise.resolve('approval'),
    willAfford: () => Promise.resolve(willAfford),
  } as unknown as QuotaLimitStore;
  return new AdmissionService(ledger, metrics, limits, new BillingConfig()).admit({ ...request, ...changes });
}

describe('AdmissionService', () => {
  it('answers with the hold', async () => {
    const held = { outcome: 'held', wallet: '0xa', keyId: 'key_1', amount: 1_500n } as const;
    await expect(admit(() => Promise.resolve(held))).resolves.toEqual({
      state: 'held',
      holdId: 'req_1',
      wallet: '0xa',
      amount: '1500',
    });
  });

  it('names the request that an idempotency key stands for', async () => {
    const running = {
      outcome: 'running',
      wallet: '0xa',
      keyId: 'key_1',
      holdId: 'req_0',
      amount: 1_500n,
    } as const;
    await expect(admit(() => Promise.resolve(running))).resolves.toMatchObject({
      state: 'running',
      holdId: 'req_0',
    });
  });

  it.each([
    [{ outcome: 'unknown_key' }, 'invalid_api_key', 401],
    [{ outcome: 'suspended' }, 'account_suspended', 403],
    [{ outcome: 'insufficient', ...short, held: 0n, spendable: 0n }, 'insufficient_quota', 402],
    [{ outcome: 'mismatch' }, 'invalid_request', 422],
    [{ outcome: 'different' }, 'invalid_request', 409],
    [{ outcome: 'resolved' }, 'invalid_request', 409],
  ] as const)('turns %j into %s', async (result, code, status) => {
    await expect(admit(() => Promise.resolve(result))).rejects.toMatchObject({ code, status });
  });

  it('says what is needed, held and spendable', async () => {
    const refused = admit(() =>
      Promise.resolve({ outcome: 'insufficient', ...short, held: 2_000_000n, spendable: 999n }),
    );
    await expect(refused).rejects.toThrow(/0\.001500 USDC.*0\.000999 USDC.*2\.000000 USDC is held/);
  });

  it.each([
    ['wallet', /the wallet's approval .* leaves/],
    ['unsettled', /not settled on chain yet leaves/],
    ['key', /the API key's budget leaves/],
  ] as const)('names the limit that refused: %s', async (limitedBy, words) => {
    const refused = admit(() =>
      Promise.resolve({ outcome: 'insufficient', ...short, limitedBy, held: 0n, spendable: 0n }),
    );
    await expect(refused).rejects.toThrow(words);
  });

  it.each([
    ['wallet', { amount: '1500' }, /charged\. Raise the approval, then retry\.$/],
    ['unsettled', { amount: '100000000' }, /charged\. Wait for the next settlement, then retry\.$/],
    [
      'unsettled',
      { amount: '100000001' },
      /charged\. The request is larger than this cap: lower max_tokens, then/,
    ],
    [
      'key',
      { willAfford: true },
      /charged\. Raise the key's budget cap or wait for its reset, then retry\.$/,
    ],
    ['key', { willAfford: false }, /charged\. Raise the key's budget cap, then retry\.$/],
  ] as const)('says to wait only where that helps: %s %j', async (limitedBy, asked, words) => {
    const refused = admit(
      () => Promise.resolve({ outcome: 'insufficient', ...short, limitedBy, held: 0n, spendable: 0n }),
      asked,
    );
    await expect(refused).rejects.toThrow(words);
  });

  it('refuses a hold of nothing before the ledger sees it', async () => {
    const refused = admit(() => Promise.reject(new Error('reached the ledger')), { amount: '0' });
    await expect(refused).rejects.toMatchObject({
      payload: { code: 'invalid_request', message: 'amount must be above 0.', param: 'amount' },
    });
  });

  it.each([
    ['overloaded', 'Too many requests wait for admission; try again.'],
    // The database is away, and billing stops.
    ['closed', 'Requests cannot be admitted now; try again.'],
  ] as const)('has it asked again when the ledger is %s', async (reason, message) => {
    const refused = admit(() => Promise.reject(new GroupCommitError(reason)));
    await expect(refused).rejects.toMatchObject({
      payload: { code: 'no_capacity', retryAfterSeconds: 1, message },
    });
  });
});

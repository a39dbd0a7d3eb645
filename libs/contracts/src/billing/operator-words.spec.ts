import { compileValidator } from '@svc/validation';
import { CreditWalletRequest, RefundRequest } from './ledger.contracts';
import { PauseSettlementRequest, ResumeSettlementRequest } from './settlement.contracts';

const wallet = `0x${'a'.repeat(40)}`;
const act = { reason: 'asked by its owner', actor: 'carol' };

describe('why operators give, and pause', () => {
  it.each([
    ['credit', compileValidator(CreditWalletRequest), { wallet, creditId: 'crd_1', amount: '1' }],
    ['refund', compileValidator(RefundRequest), { wallet, holdId: 'req_1' }],
    ['pause', compileValidator(PauseSettlementRequest), {}],
    ['resume', compileValidator(ResumeSettlementRequest), {}],
  ])('is a line of text that the database takes and everybody can see: %s', (_, validate, request) => {
    expect(validate({ ...request, ...act }).ok).toBe(true);
    for (const text of ['a\u0000b', 'a\nb', 'a\ud800', '\u202eb']) {
      expect(validate({ ...request, ...act, reason: text }).ok).toBe(false);
      expect(validate({ ...request, ...act, actor: text }).ok).toBe(false);
    }
  });

  // Some characters change how the one before looks: for the eye they are one, for the database two.
  it('is no longer than the database takes', () => {
    const refund = compileValidator(RefundRequest);
    const why = (reason: string) => refund({ wallet, holdId: 'req_1', ...act, reason }).ok;
    expect(why('\u26A0\uFE0F'.repeat(100))).toBe(true);
    expect(why('\u26A0\uFE0F'.repeat(101))).toBe(false);
  });
});

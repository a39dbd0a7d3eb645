import { compileValidator } from '@svc/validation';
import { CreditWalletRequest, RefundRequest } from './billing/ledger.contracts';
import { PauseSettlementRequest, ResumeSettlementRequest } from './billing/settlement.contracts';
import { JudgeWalletRequest } from './billing/wallet-operation.contracts';
import { ApplyCatalogueRequest } from './catalog/catalogue.contracts';
import { JudgeOfferRequest, JudgeProviderRequest } from './catalog/operation.contracts';

const wallet = `0x${'a'.repeat(40)}`;
const nothing = { models: [], bundles: [], profiles: [] };

/** What callers may rely on: shorter limits would refuse them. */
const billing = { reason: 200, actor: 80 };
const catalog = { reason: 500, actor: 100 };

describe('what an operator does and why', () => {
  it.each([
    ['credit', compileValidator(CreditWalletRequest), { wallet, creditId: 'crd_1', amount: '1' }, billing],
    ['refund', compileValidator(RefundRequest), { wallet, holdId: 'req_1' }, billing],
    ['pause', compileValidator(PauseSettlementRequest), {}, billing],
    ['resume', compileValidator(ResumeSettlementRequest), {}, billing],
    ['judge a wallet', compileValidator(JudgeWalletRequest), { wallet }, billing],
    ['judge a provider', compileValidator(JudgeProviderRequest), { provider: wallet }, catalog],
    ['judge an offer', compileValidator(JudgeOfferRequest), { offerId: 'ofr_1' }, catalog],
    ['apply a catalogue', compileValidator(ApplyCatalogueRequest), nothing, catalog],
  ])('may be as long as it always was, and no longer: %s', (_, validate, request, { reason, actor }) => {
    const takes = (reasonLength: number, actorLength: number) =>
      validate({ ...request, reason: 'r'.repeat(reasonLength), actor: 'a'.repeat(actorLength) }).ok;
    expect([takes(1, 1), takes(reason, actor)]).toEqual([true, true]);
    expect([takes(reason + 1, 1), takes(1, actor + 1)]).toEqual([false, false]);
    expect([takes(0, 1), takes(1, 0)]).toEqual([false, false]);
  });
});

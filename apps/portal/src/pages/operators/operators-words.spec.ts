import { reinstateWallet, suspendOffer, suspendProvider } from './acts';
import { describeAction } from './audit-words';
import { settlementState } from './settlement-state';

describe('what operators read', () => {
  it('names what an act does and where it goes', () => {
    const provider = { provider: `0x${'ab'.repeat(20)}`, name: 'Example' };
    expect(suspendProvider(provider)).toMatchObject({
      title: 'Suspend Example',
      path: `/providers/${provider.provider}/suspend`,
      danger: true,
    });
    expect(suspendOffer({ offer_id: 'ofr_1', model: 'svc/demo@1' }).path).toBe('/offers/ofr_1/suspend');
    expect(reinstateWallet(provider.provider, true).consequence).toContain('until that is paid');
    expect(reinstateWallet(provider.provider, false).consequence).toBe('Its API keys work again.');
  });

  it('tells acts in words, those it does not know by their names', () => {
    expect(describeAction('offer.suspend')).toBe('suspended the offer');
    expect(describeAction('model.define')).toBe('defined the model');
    expect(describeAction('routing.redefine')).toBe('redefined the routing model');
    expect(describeAction('managed.retire')).toBe('retired the managed vendor');
    expect(describeAction('wallet.paint')).toBe('wallet.paint');
  });

  it('says how settlement stands', () => {
    expect(settlementState('idle').tone).toBe('good');
    expect(settlementState('insufficient_gas')).toMatchObject({ tone: 'bad', label: 'Out of gas' });
    expect(settlementState('new_state')).toMatchObject({ tone: 'quiet', label: 'new_state' });
  });
});

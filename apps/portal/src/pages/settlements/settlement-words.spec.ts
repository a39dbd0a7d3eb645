import { requestOf, showEther, stateWords } from './settlement-words';
import type { CollectedReceipt, Settlement } from './settlements';

const own: Settlement['own'] = {
  ...{ previous_usdc: '0.000000', cumulative_usdc: '1.000000', amount_usdc: '1.000000' },
  ...{ pulled_usdc: '1.000000', failed: false, receipts: 1, payer_root: '0x' },
};

describe('a settlement in words', () => {
  it('tells first of what was refused', () => {
    expect(stateWords({ state: 'settled', own })).toMatchObject({ label: 'Settled', tone: 'good' });
    expect(stateWords({ state: 'mined', own })).toMatchObject({ label: 'Confirming', tone: 'busy' });
    expect(stateWords({ state: 'settled', own: { ...own, failed: true } })).toMatchObject({ tone: 'bad' });
  });

  it('shows gas exactly', () => {
    expect(showEther('210000000000000')).toBe('0.00021');
    expect(showEther('1')).toBe('0.000000000000000001');
    expect(showEther('1000000000000000000')).toBe('1');
    expect(showEther('12500000000000000000')).toBe('12.5');
    expect(showEther('0')).toBe('0');
  });

  it('leads from a receipt to its request', () => {
    const receipt = (kind: CollectedReceipt['kind'], id: string): CollectedReceipt => ({
      ...{ kind, id, created_at: '', amount_usdc: '0.000000', model: null },
    });
    expect(requestOf(receipt('usage', 'req_1'))).toBe('req_1');
    expect(requestOf(receipt('refund', 'req_1.2'))).toBe('req_1');
    expect(requestOf(receipt('credit', 'crd_1'))).toBeUndefined();
  });
});

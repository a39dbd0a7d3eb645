import { keccak256, toUtf8Bytes } from 'ethers';
import { canonicalReceipt, receiptLeaf } from './receipt';
import type { CreditReceipt } from '@svc/contracts';

const credit: CreditReceipt = {
  type: 'credit',
  id: 'crd_1',
  wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  amount_usdc: '1.500000',
  reason: 'goodwill: 5 "late" replies\n',
  created_at: '2026-11-21T06:00:00.000000Z',
};

describe('canonicalReceipt', () => {
  it('sorts names by their UTF-16 units and leaves no space', () => {
    const mixed = { b: 'x', a: 1, B: true, '\u{1f600}': 'pair', '\ufb01': 'above it' };
    expect(canonicalReceipt(mixed)).toBe('{"B":true,"a":1,"b":"x","\u{1f600}":"pair","\ufb01":"above it"}');
  });

  it('writes strings as RFC 8785, section 3.2.2.2, does', () => {
    const value = '\u20ac$\u000f\nA\'B"\\\\"/\b\t\u007f';
    expect(canonicalReceipt({ value })).toBe('{"value":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\\b\\t\u007f"}');
  });

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a fraction', 0.5],
    ['not a number', Number.NaN],
    ['what is beyond 2^53', 2 ** 53],
    ['a bigint', 1n],
    ['a list', []],
    ['an object', {}],
    ['half a surrogate pair', '\ud83d'],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalReceipt({ value })).toThrow(/receipt\.value/);
  });
});

describe('receiptLeaf', () => {
  it('is the prefixed canonical form, hashed twice', () => {
    const text =
      'svc-receipt-v1\n{"amount_usdc":"1.500000","created_at":"2026-11-21T06:00:00.000000Z","id":"crd_1",' +
      '"reason":"goodwill: 5 \\"late\\" replies\\n","type":"credit",' +
      '"wallet":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}';
    expect(receiptLeaf(credit)).toBe(keccak256(keccak256(toUtf8Bytes(text))));
  });

  it('does not depend on the order of fields, and on everything else', () => {
    const reversed = Object.fromEntries(Object.entries(credit).reverse()) as unknown as CreditReceipt;
    expect(receiptLeaf(reversed)).toBe(receiptLeaf(credit));
    expect(receiptLeaf({ ...credit, type: 'refund' })).not.toBe(receiptLeaf(credit));
    expect(receiptLeaf({ ...credit, amount_usdc: '1.500001' })).not.toBe(receiptLeaf(credit));
  });
});

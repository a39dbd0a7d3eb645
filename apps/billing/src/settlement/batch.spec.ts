import { duesRoot, merkleRoot } from '@svc/contracts-evm';
import type { ReceiptLeaf } from '../receipt/receipt.store';
import { NO_RECEIPTS, batchOf, dueOf, onChain } from './batch';
import type { Candidate, PlannedDue } from './batch';

const word = (digit: string) => `0x${digit.repeat(64)}`;
const wallet = `0x${'a'.repeat(40)}`;

const candidate = (changes: Partial<Candidate> = {}): Candidate => ({
  wallet,
  seq: 3,
  cumulative: 500n,
  fresh: 70n,
  owed: 570n,
  means: 1_000n,
  tries: 0,
  ...changes,
});

const onChainOf = (due: PlannedDue | undefined) => due && onChain(due).cumulative;
const leaf = (amount: bigint, digit: string): ReceiptLeaf => ({
  id: `req_${digit}`,
  kind: amount < 0n ? 'refund' : 'usage',
  amount,
  leaf: word(digit),
});
const collecting = (...leaves: ReceiptLeaf[]) => ({ leaves, more: false });

describe('dueOf', () => {
  it('rises by exactly what the receipts add up to, under the root of their leaves', () => {
    const receipts = collecting(leaf(100n, '1'), leaf(-30n, '2'));
    expect(dueOf(candidate(), receipts)).toMatchObject({
      cumulative: 500n,
      next: 570n,
      payerRoot: merkleRoot([word('1'), word('2')]),
    });
  });

  it('asks for a single base unit, and splits off what its receipts say', () => {
    const part = {
      of: { id: 'crd_1', kind: 'credit', amount: -5n, parts: 0 },
      number: 1,
      amount: -2n,
    } as const;
    const due = dueOf(candidate(), { ...collecting(leaf(3n, '1'), leaf(-2n, '2')), part });
    expect(due).toMatchObject({ next: 501n, part });
  });

  it('asks again, without receipts, for what is still owed', () => {
    expect(dueOf(candidate({ tries: 1 }), undefined)).toMatchObject({
      next: 500n,
      payerRoot: NO_RECEIPTS,
      receipts: [],
    });
    expect(onChainOf(dueOf(candidate({ tries: 1 }), undefined))).toEqual(500n);
    // Of which something was credited since.
    expect(onChainOf(dueOf(candidate({ tries: 1, owed: 350n }), undefined))).toEqual(350n);
    // More was given back than is new: what is new waits.
    expect(dueOf(candidate({ tries: 1 }), collecting(leaf(10n, '1'), leaf(-20n, '2')))).toMatchObject({
      next: 500n,
      receipts: [],
    });
  });

  it('asks nobody for nothing', () => {
    expect(dueOf(candidate(), undefined)).toBeUndefined();
    expect(
      dueOf(candidate({ cumulative: 0n, seq: 0 }), collecting(leaf(10n, '1'), leaf(-10n, '2'))),
    ).toBeUndefined();
  });
});

describe('batchOf', () => {
  it('has the root that the contract computes, and the sums of its dues', () => {
    const fresh = dueOf(candidate(), collecting(leaf(70n, '1')));
    const again = dueOf(candidate({ wallet: `0x${'b'.repeat(40)}`, tries: 2 }), undefined);
    if (!fresh || !again) throw new Error('no dues');
    const batch = batchOf(word('9'), [fresh, again]);
    expect(batch).toMatchObject({ receipts: 1, amount: 70n, more: false });
    expect(batchOf(word('9'), [fresh], true).more).toBe(true);
    expect(batch.root).toBe(duesRoot([onChain(fresh), onChain(again)]));
  });
});

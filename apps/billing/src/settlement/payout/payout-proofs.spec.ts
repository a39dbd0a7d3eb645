import { payoutLeaf, payoutRoot, rootFromProof } from '@svc/contracts-evm';
import type { Earning } from '@svc/contracts-evm';
import { PayoutProofs } from './payout-proofs';
import type { PayoutStore } from './payout.store';

const provider = (number: number) => `0x${String(number).repeat(40)}`;

function linesOf(payoutId: string): Earning[] {
  const base = payoutId === 'first' ? 10n : 20n;
  return [1, 2, 3].map((number) => ({ provider: provider(number), cumulative: base + BigInt(number) }));
}

function setUp() {
  const loaded: string[] = [];
  const proofs = new PayoutProofs({
    linesOf: (payoutId: string) => {
      loaded.push(payoutId);
      return Promise.resolve(linesOf(payoutId));
    },
  } as unknown as PayoutStore);
  return { proofs, loaded };
}

describe('PayoutProofs', () => {
  it('loads the lines of a root once, whoever asks', async () => {
    const { proofs, loaded } = setUp();
    await Promise.all([1, 2].map((number) => proofs.lineOf('first', provider(number))));
    await proofs.lineOf('first', provider(3));
    expect(loaded).toEqual(['first']);
    await proofs.lineOf('second', provider(1));
    expect(loaded).toEqual(['first', 'second']);
  });

  it.each(['first', 'second'])('proves each line of the %s root', async (payoutId) => {
    const { proofs } = setUp();
    const root = payoutRoot(linesOf(payoutId));
    for (const { provider: of, cumulative } of linesOf(payoutId)) {
      const line = await proofs.lineOf(payoutId, of);
      expect(line?.cumulative).toBe(cumulative);
      expect(rootFromProof(payoutLeaf({ provider: of, cumulative }), line?.proof ?? [])).toBe(root);
    }
  });

  it('knows no line of a stranger', async () => {
    expect(await setUp().proofs.lineOf('first', provider(4))).toBeUndefined();
  });
});

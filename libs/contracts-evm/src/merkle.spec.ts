import * as fc from 'fast-check';
import { AbiCoder, concat, getAddress, keccak256, toBeHex } from 'ethers';
import { dueLeaf, duesRoot, merkleRoot, merkleTree, payoutLeaf, payoutRoot, rootFromProof } from './index';

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => concat([bytes]));
const leaves = (maxLength: number) => fc.array(word, { minLength: 1, maxLength });
const check = <Values>(property: fc.IProperty<Values>) => fc.assert(property, { seed: SEED, numRuns: 60 });
const node = (label: number) => toBeHex(label, 32);
const pair = (one: string, other: string) => keccak256(concat([one, other].sort()));

describe(`Merkle trees (SEED=${SEED})`, () => {
  it('are one leaf, a sorted pair, and let an odd node move up', () => {
    const [a, b, c, d, e] = [5, 4, 3, 2, 1].map(node) as [string, string, string, string, string];
    expect(merkleRoot([a])).toBe(a);
    expect(merkleRoot([a, b])).toBe(pair(a, b));
    expect(merkleRoot([a, b, c])).toBe(pair(pair(a, b), c));
    expect(merkleRoot([a, b, c, d, e])).toBe(pair(pair(pair(a, b), pair(c, d)), e));
    expect(merkleTree([a, b, c, d, e]).proof(4)).toEqual([pair(pair(a, b), pair(c, d))]);
    expect(merkleTree([a, b, c, d, e]).proof(1)).toEqual([a, pair(c, d), e]);
    expect(merkleTree([a]).proof(0)).toEqual([]);
  });

  it('prove each of their leaves', () => {
    check(
      fc.property(leaves(40), (all) => {
        const root = merkleRoot(all);
        const tree = merkleTree(all);
        for (const [index, leaf] of all.entries()) {
          expect(rootFromProof(leaf, tree.proof(index))).toBe(root);
        }
      }),
    );
  });

  it('prove no other leaf, and nothing with a changed or shorter proof', () => {
    check(
      fc.property(leaves(20), word, (all, other) => {
        fc.pre(!all.includes(other));
        const root = merkleRoot(all);
        const proof = merkleTree(all).proof(0);
        expect(rootFromProof(other, proof)).not.toBe(root);
        for (const index of proof.keys()) {
          expect(rootFromProof(all[0] as string, proof.with(index, other))).not.toBe(root);
          expect(rootFromProof(all[0] as string, proof.toSpliced(index, 1))).not.toBe(root);
        }
      }),
    );
  });

  it('take hex of either case', () => {
    const [a, b] = [node(0xabcdef), node(0xfedcba)];
    const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
    expect(merkleRoot([upper(a), b])).toBe(merkleRoot([a, b]));
    expect(rootFromProof(a, [upper(b)])).toBe(merkleRoot([a, b]));
  });

  it.each([
    ['no leaves', () => merkleRoot([])],
    ['a leaf that is too short', () => merkleRoot(['0x12'])],
    ['a leaf that is no hex', () => merkleRoot(['leaf'])],
    ['a negative index', () => merkleTree([node(1)]).proof(-1)],
    ['an index past the end', () => merkleTree([node(1)]).proof(1)],
    ['half an index', () => merkleTree([node(1), node(2)]).proof(0.5)],
    ['a proof with a short node', () => rootFromProof(node(1), ['0x12'])],
    ['no dues', () => duesRoot([])],
    ['no earnings', () => payoutRoot([])],
  ])('refuse %s', (_name, call) => {
    expect(call).toThrow(RangeError);
  });
});

describe('leaves', () => {
  const address = getAddress(toBeHex(0xabcdef0123456789n, 20));
  const encode = (types: string[], values: unknown[]) =>
    keccak256(keccak256(AbiCoder.defaultAbiCoder().encode(types, values)));

  it('of dues are the ABI encoding, hashed twice', () => {
    const due = { payer: address, cumulative: 2n ** 255n + 7n, root: node(9) };
    const expected = encode(['address', 'uint256', 'bytes32'], [due.payer, due.cumulative, due.root]);
    expect(dueLeaf(due)).toBe(expected);
    expect(dueLeaf({ ...due, payer: address.toLowerCase() })).toBe(expected);
    expect(duesRoot([due])).toBe(expected);
  });

  it('of payouts likewise', () => {
    const earning = { provider: address, cumulative: 12_345n };
    expect(payoutLeaf(earning)).toBe(encode(['address', 'uint256'], [address, 12_345n]));
    expect(payoutRoot([earning, { ...earning, cumulative: 1n }])).toBe(
      merkleRoot([payoutLeaf(earning), payoutLeaf({ ...earning, cumulative: 1n })]),
    );
  });

  it('refuse amounts and addresses that do not fit', () => {
    expect(() => dueLeaf({ payer: address, cumulative: -1n, root: node(1) })).toThrow();
    expect(() => dueLeaf({ payer: address, cumulative: 2n ** 256n, root: node(1) })).toThrow();
    expect(() => dueLeaf({ payer: `${address}00`, cumulative: 1n, root: node(1) })).toThrow();
    expect(() => dueLeaf({ payer: '0x12', cumulative: 1n, root: node(1) })).toThrow();
    expect(() => payoutLeaf({ provider: 'managed', cumulative: 1n })).toThrow();
  });
});

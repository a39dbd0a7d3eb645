import { AbiCoder, getAddress, id, zeroPadValue } from 'ethers';
import { claimCall, paidIn } from './claim-call';

describe('the call that has earnings paid out', () => {
  it('is the contract’s claim(address,uint256,bytes32[])', () => {
    const provider = `0x${'ab'.repeat(20)}`;
    const proof = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`];
    const data = claimCall({
      ...{ provider, cumulative: '9007199254740993', proof, chain_id: 1, contract: '0x', root: '0x' },
      ...{ state: 'settled', published_at: '', claimable_usdc: '', paid_usdc: '' },
    });
    const selector = id('claim(address,uint256,bytes32[])').slice(0, 10);
    const fields = AbiCoder.defaultAbiCoder().encode(
      ['address', 'uint256', 'bytes32[]'],
      [provider, 9007199254740993n, proof],
    );
    expect(data).toBe(selector + fields.slice(2));
  });
});

describe('what a claim has paid', () => {
  const provider = `0x${'ab'.repeat(20)}`;
  const contract = `0x${'cd'.repeat(20)}`;
  const paid = {
    address: contract,
    topics: [id('Paid(address,uint256,uint256,uint256)'), zeroPadValue(provider, 32)],
    data: AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256', 'uint256'], [9007199254740993n, 2n, 3n]),
  };
  const receiptWith = (...logs: object[]) => ({ hash: '0x', blockNumber: 1n, logs }) as never;

  it('is what the contract says in its receipt', () => {
    const transfer = { address: provider, topics: [id('Transfer(address,address,uint256)')], data: '0x' };
    expect(paidIn(receiptWith(transfer, paid), getAddress(contract))).toBe(9007199254740993n);
  });

  it('is nothing where the contract says nothing, or another one does', () => {
    expect(paidIn(receiptWith(), contract)).toBe(0n);
    expect(paidIn(receiptWith(paid), provider)).toBe(0n);
  });
});

import { AbiCoder, id } from 'ethers';
import { claimCall } from './claim-call';

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

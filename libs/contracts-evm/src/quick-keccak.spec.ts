import { randomBytes } from 'node:crypto';
import { keccak256 } from 'ethers';
import { useQuickKeccak } from './quick-keccak';

describe('useQuickKeccak', () => {
  it('hashes as ethers does by itself', async () => {
    const contents = Array.from({ length: 700 }, (_, length) => randomBytes(length));
    const own = contents.map((content) => keccak256(content));
    await useQuickKeccak();
    expect(contents.map((content) => keccak256(content))).toEqual(own);
    // keccak-256 of nothing, as Ethereum's empty code hash has it.
    expect(keccak256('0x')).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  });
});

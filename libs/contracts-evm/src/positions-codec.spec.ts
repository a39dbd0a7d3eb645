import { JsonRpcProvider, ZeroAddress, getAddress, toBeHex, zeroPadValue } from 'ethers';
import { decodePositions, encodePositionsOf } from './positions-codec';
import { settlementAt } from './settlement.binding';

const provider = new JsonRpcProvider('http://127.0.0.1:1', 1, { staticNetwork: true });
const { interface: abi } = settlementAt(ZeroAddress, provider);
const wallet = (index: number) => zeroPadValue(toBeHex(index), 20);
const selector = abi.getFunction('positionsOf')?.selector ?? '';

afterAll(() => provider.destroy());

describe('the coder of positionsOf', () => {
  it.each([0, 1, 2, 37])('asks for %i wallets as the general one does', (count) => {
    const wallets = Array.from({ length: count }, (_, index) => wallet(index * 1_000_003 + 1));
    const data = abi.encodeFunctionData('positionsOf', [wallets]);
    expect(encodePositionsOf(selector, wallets)).toBe(data);
    expect(encodePositionsOf(selector, wallets.map(getAddress))).toBe(data);
  });

  it.each([0, 1, 2, 37])('understands the answer for %i', (count) => {
    const positions = Array.from({ length: count }, (_, index) => ({
      balance: 2n ** 256n - 1n - BigInt(index),
      allowance: BigInt(index),
      pulled: 10n ** BigInt(index),
    }));
    const listed = positions.map(({ balance, allowance, pulled }) => [balance, allowance, pulled]);
    const answer = abi.encodeFunctionResult('positionsOf', [wallet(0xabcdef), listed]);
    expect(decodePositions(answer, count)).toEqual({ token: wallet(0xabcdef), positions });
  });

  it('refuses what is no address, and no answer', () => {
    for (const wrong of ['0x12', `${wallet(1)}2`]) {
      expect(() => encodePositionsOf(selector, [wrong])).toThrow(TypeError);
    }
    const answer = abi.encodeFunctionResult('positionsOf', [wallet(1), [[1n, 2n, 3n]]]);
    // Of two, by its own account.
    const two = answer.replace(/(?<=40)0{63}1/, `${'0'.repeat(63)}2`);
    expect(two).not.toBe(answer);
    for (const wrong of ['0x', answer.slice(0, -2), `${answer}00`, answer.replace('40', '60'), two]) {
      expect(() => decodePositions(wrong, 1)).toThrow(expect.objectContaining({ code: 'BAD_DATA' }) as Error);
    }
    expect(() => decodePositions(answer, 2)).toThrow(expect.objectContaining({ code: 'BAD_DATA' }) as Error);
  });
});

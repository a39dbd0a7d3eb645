import { makeError } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { untilFinal } from './finality';

const HEAD = 100;
const MADE_IN = 50;
const CONFIRMATIONS = 12;

/** Waits for a contract on a chain of which the server says one after the other what is final, the last for good. */
async function waitedFor(...said: (number | 'refused' | undefined)[]) {
  let asked = 0;
  const finalized = () => {
    const answer = said[Math.min(asked++, said.length - 1)];
    if (answer === 'refused') throw makeError('could not coalesce error', 'UNKNOWN_ERROR');
    return answer === undefined ? null : { number: answer };
  };
  const provider = {
    getBlock: (tag: string) =>
      Promise.resolve().then(() => (tag === 'finalized' ? finalized() : { number: HEAD, hash: '0x1' })),
    getCode: () => Promise.resolve('0x60'),
    getTransactionReceipt: () => Promise.resolve({ blockNumber: MADE_IN }),
  };
  const waiting = {
    provider: provider as unknown as JsonRpcProvider,
    confirmations: CONFIRMATIONS,
    say: () => undefined,
    signal: new AbortController().signal,
  };
  const block = await untilFinal(waiting, { address: `0x${'1'.repeat(40)}`, transactions: ['0x2'] });
  return { block, asked };
}

describe('untilFinal', () => {
  it('goes by what the chain has finalized, also where the server has too many questions to say so for a while', async () => {
    await expect(waitedFor('refused', MADE_IN - 1, 'refused', 'refused', MADE_IN)).resolves.toEqual({
      block: MADE_IN,
      asked: 5,
    });
  });

  it.each(['refused', undefined] as const)(
    'goes by depth where the server never says it: %s',
    async (said) => {
      await expect(waitedFor(said)).resolves.toEqual({ block: MADE_IN, asked: 5 });
    },
  );
});

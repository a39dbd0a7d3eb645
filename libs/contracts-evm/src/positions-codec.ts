import { makeError } from 'ethers';

/** Hex digits of a word, in which the ABI lays everything out. */
const WORD = 64;
/** Token, offset and length of the list; a position is three more. */
const HEAD_WORDS = 3;
const POSITION_WORDS = 3;

/** What `positionsOf` says, in base units. */
interface PositionsAnswer {
  /** Lower case. */
  readonly token: string;
  readonly positions: readonly { balance: bigint; allowance: bigint; pulled: bigint }[];
}

/**
 * A call of `positionsOf(address[])`, as the Contract ABI specification lays it out. By hand, since ethers' general coder
 * takes a quarter of a millisecond a wallet, and thousands are read a block.
 * @param selector 0x and the function's 8 hex digits
 * @throws TypeError when a wallet is no address
 */
export function encodePositionsOf(selector: string, wallets: readonly string[]): string {
  return [selector, word(WORD / 2), word(wallets.length), ...wallets.map(addressWord)].join('');
}

/** The answer for `wallets` wallets. @throws ethers' `BAD_DATA` when it is no such answer */
export function decodePositions(answer: string, wallets: number): PositionsAnswer {
  const at = (index: number): string => answer.slice(2 + index * WORD, 2 + (index + 1) * WORD);
  const number = (index: number): bigint => BigInt(`0x${at(index)}`);
  const isWhole = answer.length === 2 + (HEAD_WORDS + wallets * POSITION_WORDS) * WORD;
  if (!isWhole || at(1) !== word(WORD) || at(2) !== word(wallets)) {
    throw makeError('no answer of positionsOf', 'BAD_DATA', {
      value: answer.slice(0, 2 + HEAD_WORDS * WORD),
    });
  }
  const positions = Array.from({ length: wallets }, (_, index) => {
    const first = HEAD_WORDS + index * POSITION_WORDS;
    return { balance: number(first), allowance: number(first + 1), pulled: number(first + 2) };
  });
  return { token: `0x${at(0).slice(-40)}`, positions };
}

function word(value: number): string {
  return value.toString(16).padStart(WORD, '0');
}

function addressWord(address: string): string {
  if (!/^0x[0-9a-f]{40}$/i.test(address)) throw new TypeError(`not an address: ${address}`);
  return address.slice(2).toLowerCase().padStart(WORD, '0');
}

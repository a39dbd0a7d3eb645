import { AbiCoder, concat, dataLength, id, toBeHex } from 'ethers';

interface TokenAnswers {
  name?: string;
  symbol?: string;
  decimals?: number;
  DOMAIN_SEPARATOR?: string;
}

const TYPES = { name: 'string', symbol: 'string', decimals: 'uint8', DOMAIN_SEPARATOR: 'bytes32' } as const;
/** Bytes of the code that compares a selector, and of that which gives an answer. */
const [PROLOGUE, COMPARISON, REVERT, HANDLER] = [5, 11, 3, 14];

/** The code of a contract that gives these answers and no other. */
export function tokenCode(answers: TokenAnswers): string {
  const entries = Object.entries(answers).map(([name, value]) => ({
    selector: id(`${name}()`).slice(0, 10),
    answer: AbiCoder.defaultAbiCoder().encode([TYPES[name as keyof TokenAnswers]], [value]),
  }));
  const handlersAt = PROLOGUE + COMPARISON * entries.length + REVERT;
  let answerAt = handlersAt + HANDLER * entries.length;
  const word = (value: number) => toBeHex(value, 2);
  const comparisons: string[] = [];
  const handlers: string[] = [];
  for (const [index, { selector, answer }] of entries.entries()) {
    const [size, start] = [word(dataLength(answer)), word(answerAt)];
    // DUP1 PUSH4 EQ PUSH2 JUMPI
    comparisons.push(concat(['0x8063', selector, '0x1461', word(handlersAt + HANDLER * index), '0x57']));
    // JUMPDEST CODECOPY(0, start, size) RETURN(0, size)
    handlers.push(concat(['0x5b61', size, '0x61', start, '0x5f3961', size, '0x5ff3']));
    answerAt += dataLength(answer);
  }
  // The selector: PUSH0 CALLDATALOAD PUSH1 224 SHR. No such function: REVERT(0, 0).
  const code = ['0x5f3560e01c', ...comparisons, '0x5f5ffd', ...handlers];
  return concat([...code, ...entries.map(({ answer }) => answer)]);
}

import { makeError } from 'ethers';
import { outcomeOf } from './broadcast-outcome';

const refused = (message: string) =>
  makeError('could not coalesce error', 'UNKNOWN_ERROR', { error: { message } });

describe('outcomeOf', () => {
  it.each([
    ['already known', 'sent'],
    ['transaction already imported', 'sent'],
    ['nonce too low: next nonce 7, tx nonce 6', 'nonce_used'],
    ['replacement transaction underpriced', 'underpriced'],
    ['max fee per gas less than block base fee', 'underpriced'],
    ['insufficient funds for gas * price + value: balance 0', 'insufficient_gas'],
    ['Insufficient funds for gas * price + value', 'insufficient_gas'],
    ['tx fee (1.10 ether) exceeds the configured cap (1.00 ether)', 'fee_above_cap'],
    // Nethermind, until 2026.
    ['AlreadyKnown', 'sent'],
    ['OldNonce, Current nonce: 7, nonce of rejected tx: 6', 'nonce_used'],
    ['FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7', 'underpriced'],
    ['FeeTooLowToCompete', 'underpriced'],
    ['ReplacementNotAllowed', 'underpriced'],
    ['InsufficientFunds, Account balance: 3, cumulative cost: 5', 'insufficient_gas'],
    // Besu.
    ['Known transaction', 'sent'],
    ['Gas price below configured minimum gas price', 'underpriced'],
    ['Gas price below current base fee', 'underpriced'],
    ['Upfront cost exceeds account balance', 'insufficient_gas'],
    ['Transaction fee cap exceeded', 'fee_above_cap'],
    // Erigon.
    ['existing tx with same hash', 'sent'],
    ['INTERNAL_ERROR: could not replace existing tx', 'underpriced'],
    ['internal error', 'unknown'],
  ])('%s → %s', (message, outcome) => {
    expect(outcomeOf(refused(message))).toBe(outcome);
  });

  it.each([
    ['NONCE_EXPIRED', 'nonce_used'],
    ['REPLACEMENT_UNDERPRICED', 'underpriced'],
    ['INSUFFICIENT_FUNDS', 'insufficient_gas'],
  ] as const)(
    'goes by the client’s reading where the server’s words are none of these: %s → %s',
    (code, outcome) => {
      const info = { error: { message: 'rejected' } };
      expect(outcomeOf(Object.assign(new Error('rejected'), { code, info }))).toBe(outcome);
    },
  );

  it('knows nothing after a timeout', () => {
    expect(outcomeOf(makeError('request timeout', 'TIMEOUT', { operation: 'send', reason: 'timeout' }))).toBe(
      'unknown',
    );
    expect(outcomeOf(new Error('socket hang up'))).toBe('unknown');
  });
});

import { WalletError, walletErrorOf } from './wallet-error';

describe('walletErrorOf', () => {
  it.each([
    [{ code: 4001, message: 'MetaMask Tx Signature: User denied transaction signature.' }, 'rejected'],
    [{ code: -32603, message: 'Internal', data: { originalError: { code: 4001 } } }, 'rejected'],
    [new Error('User rejected the request.'), 'rejected'],
    [{ code: -32002, message: 'Request already pending' }, 'busy'],
    [{ code: 4100 }, 'locked'],
    [{ code: 4902 }, 'chain'],
    [new Error('insufficient funds for gas * price + value'), 'funds'],
    [new Error('outer', { cause: new Error('execution reverted: nope') }), 'reverted'],
    [new TypeError('Failed to fetch'), 'chain'],
    ['something', 'unknown'],
    [null, 'unknown'],
    [{ code: 'not a number' }, 'unknown'],
  ])('%j is %s', (thrown, kind) => {
    expect(walletErrorOf(thrown).kind).toBe(kind);
  });

  it('never passes on the wallet’s own words', () => {
    const { message } = walletErrorOf({ code: 4001, message: '<img src=x onerror=alert(1)> 0xdeadbeef' });
    expect(message).toBe('You declined in your wallet. Nothing was signed or sent.');
  });

  it('leaves a WalletError as it is', () => {
    const error = new WalletError('as it is', 'account');
    expect(walletErrorOf(error)).toBe(error);
  });

  it('does not follow a cause that leads back to itself', () => {
    const endless: Record<string, unknown> = { message: 'round' };
    endless.cause = endless;
    expect(walletErrorOf(endless).kind).toBe('unknown');
  });
});

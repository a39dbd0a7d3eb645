import { ChainAwayError } from '@svc/contracts-evm';
import type { ContractWallets } from '@svc/contracts-evm';
import { createLogger } from '@svc/observability';
import { SUPPLY_TYPES, supplyDomain } from '@svc/supply-messages';
import { Wallet } from 'ethers';
import { SignatureService } from './signature.service';

const wallet = new Wallet(`0x${'1'.repeat(64)}`);
const domain = supplyDomain(31_337, `0x${'5'.repeat(40)}`);
const message = { provider: wallet.address.toLowerCase(), offerId: 'ofr_1', nonce: 1 };
const garbage = `0x${'00'.repeat(65)}`;

function serviceWith(signed: ContractWallets['signed']): SignatureService {
  return new SignatureService(domain, { signed } as ContractWallets, createLogger('catalog', 'silent'));
}

describe('SignatureService', () => {
  it('asks the chain only when no account’s key has signed', async () => {
    const signature = await wallet.signTypedData(domain, SUPPLY_TYPES.Withdrawal, message);
    const signed = jest.fn(() => Promise.resolve(false));
    const service = serviceWith(signed);
    await expect(service.requireSigned('Withdrawal', message, signature)).resolves.toMatch(
      /^0x[0-9a-f]{64}$/,
    );
    expect(signed).not.toHaveBeenCalled();
    await expect(service.isSigned('Withdrawal', message, garbage)).resolves.toBe(false);
    expect(signed).toHaveBeenCalledTimes(1);
  });

  it('says for which chain and contract a signature would have to be', async () => {
    const service = serviceWith(() => Promise.resolve(false));
    await expect(service.requireSigned('Withdrawal', message, garbage)).rejects.toMatchObject({
      payload: {
        code: 'invalid_request',
        param: 'signature',
        message: expect.stringMatching(/^The signature .*Withdrawal.*31337.*0x5555.*\.$/) as string,
      },
    });
  });

  it('has the provider try again while only the chain could tell and is away', async () => {
    const service = serviceWith(() => Promise.reject(new ChainAwayError('down')));
    await expect(service.requireSigned('Withdrawal', message, garbage)).rejects.toMatchObject({
      payload: { code: 'no_capacity', retryAfterSeconds: 5 },
    });
  });
});

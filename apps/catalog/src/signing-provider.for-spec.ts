import { randomBytes } from 'node:crypto';
import type { RegisterProviderRequest, SubmitOfferRequest, WithdrawOfferRequest } from '@svc/contracts';
import { SUPPLY_TYPES, offerIdOf, supplyDomain } from '@svc/supply-messages';
import type { SupplyDomain, SupplyMessages } from '@svc/supply-messages';
import { testChain } from '@svc/testing';
import { Wallet } from 'ethers';
import { submissionOf } from './offer/signed-offer.for-spec';
import { SETTLEMENT } from './supply-market.for-spec';

export function testDomain(): SupplyDomain {
  return supplyDomain(testChain().chainId, SETTLEMENT);
}

/** A provider with a key of its own. Each act has the next nonce unless told. */
export class SigningProvider {
  nonce = 0;
  private readonly key: Wallet;
  readonly wallet: string;

  /** @param wallet a contract's that takes the key's signatures; the key's own unless told */
  constructor(
    wallet?: string,
    readonly privateKey = `0x${randomBytes(32).toString('hex')}`,
    private readonly domain = testDomain(),
  ) {
    this.key = new Wallet(privateKey);
    this.wallet = wallet ?? this.key.address.toLowerCase();
  }

  /** The address of the key. */
  get signer(): string {
    return this.key.address;
  }

  sign<K extends keyof SupplyMessages>(
    type: K,
    message: SupplyMessages[K],
    domain = this.domain,
  ): Promise<string> {
    const fields = (SUPPLY_TYPES[type] as Record<string, { name: string; type: string }[]>)[type] ?? [];
    const given = message as unknown as Record<string, unknown>;
    const values = Object.fromEntries(fields.map(({ name }) => [name, given[name]]));
    return this.key.signTypedData(domain, SUPPLY_TYPES[type], values);
  }

  async registration(changes: Partial<RegisterProviderRequest> = {}): Promise<RegisterProviderRequest> {
    const act = { provider: this.wallet, name: 'Alice', contact: '', nonce: ++this.nonce, ...changes };
    return { ...act, signature: changes.signature ?? (await this.sign('Registration', act)) };
  }

  async offer(changes: Partial<SubmitOfferRequest> = {}): Promise<SubmitOfferRequest> {
    const act = submissionOf({ provider: this.wallet, nonce: ++this.nonce, ...changes });
    return { ...act, signature: changes.signature ?? (await this.sign('Offer', act)) };
  }

  async withdrawal(offerId = this.offerId(), changes: Partial<WithdrawOfferRequest> = {}) {
    const act = { provider: this.wallet, offerId, nonce: ++this.nonce, ...changes };
    return { ...act, signature: changes.signature ?? (await this.sign('Withdrawal', act)) };
  }

  /** Of what `submissionOf` offers unless told. */
  offerId(bundle = 'tiny-q4', profile = 'cpu-8k'): string {
    return offerIdOf(this.wallet, bundle, profile);
  }
}

import { ACCESS_SECONDS, SUPPLY_TYPES, supplyDomain } from '@svc/supply-messages';
import type { SupplyDomain, SupplyMessages } from '@svc/supply-messages';
import type { ProviderFile } from '../provider-file/provider-file';
import type { Signer } from '../wallet/signer';
import { MarketRefusal } from './market-client';
import type { MarketClient } from './market-client';
import type { ProviderReply, TermsReply } from './market-replies';

/** An act to be signed: what the wallet sees, once the nonce is known. */
type Act<K extends keyof SupplyMessages> = Omit<SupplyMessages[K], 'nonce' | 'provider'>;
type ActType = Exclude<keyof SupplyMessages, 'Access'>;

/** A provider at one market: signs what it does there, each act with a nonce above all before. */
export class ProviderSession {
  private lastNonce = 0;

  private constructor(
    readonly market: MarketClient,
    readonly signer: Signer,
    readonly terms: TermsReply,
    private readonly domain: SupplyDomain,
  ) {}

  /** @throws CommandError (2) when the market is of another chain or contract than the file says */
  static async open(file: ProviderFile, market: MarketClient, signer: Signer): Promise<ProviderSession> {
    const terms = await market.terms();
    const domain = confirmedDomain(file, terms);
    return new ProviderSession(market, signer, terms, domain);
  }

  get provider(): string {
    return this.signer.provider;
  }

  /** How the provider stands; undefined while it is not registered. */
  async status(): Promise<ProviderReply | undefined> {
    const status = await this.market.provider(this.provider);
    this.lastNonce = Math.max(this.lastNonce, status?.nonce ?? 0);
    return status;
  }

  /**
   * Signs an act and sends it. Should its nonce be used by then (two commands at once), signs it once more.
   * @param send gets `provider`, `nonce` and `signature`
   */
  async act<K extends ActType, T>(type: K, act: Act<K>, send: (signed: object) => Promise<T>): Promise<T> {
    try {
      return await send(await this.sign(type, act));
    } catch (error) {
      if (!(error instanceof MarketRefusal) || error.status !== 409 || error.param !== 'nonce') throw error;
      await this.status();
      return send(await this.sign(type, act));
    }
  }

  /** `Authorization` for what only the provider may read. */
  async access(): Promise<string> {
    const { provider } = this;
    const issuedAt = Math.floor(Date.now() / 1_000);
    // The two clocks may differ a little.
    const expiresAt = issuedAt + ACCESS_SECONDS / 2;
    const message = { provider, issuedAt, expiresAt };
    const signature = await this.signer.wallet.signTypedData(this.domain, SUPPLY_TYPES.Access, message);
    const said = { provider, issued_at: issuedAt, expires_at: expiresAt, signature };
    return `Wallet ${Buffer.from(JSON.stringify(said)).toString('base64url')}`;
  }

  private async sign<K extends ActType>(type: K, act: Act<K>): Promise<object> {
    const { provider } = this;
    const nonce = Math.max(this.lastNonce + 1, Date.now());
    this.lastNonce = nonce;
    const message = { ...act, provider, nonce };
    const signature = await this.signer.wallet.signTypedData(this.domain, SUPPLY_TYPES[type], message);
    return { provider, nonce, signature };
  }
}

/** A market that says another chain or contract than its provider knows may be passing signatures on. */
function confirmedDomain(file: ProviderFile, { domain }: TermsReply): SupplyDomain {
  const expected = supplyDomain(domain.chainId, domain.verifyingContract);
  const { id, settlement } = file.content.chain ?? {};
  if (id !== undefined && id !== domain.chainId) {
    throw file.refusal('chain.id', `the market is of chain ${domain.chainId}; nothing was signed`);
  }
  if (settlement !== undefined && settlement.toLowerCase() !== domain.verifyingContract.toLowerCase()) {
    const words = `the market's contract is ${domain.verifyingContract}; nothing was signed`;
    throw file.refusal('chain.settlement', words);
  }
  if (domain.name !== expected.name || domain.version !== expected.version) {
    throw file.refusal(
      'market',
      `it wants signatures for "${domain.name}" ${domain.version}, which are not ours`,
    );
  }
  return expected;
}

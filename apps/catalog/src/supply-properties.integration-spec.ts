import { catalogContracts, catalogKey } from '@svc/contracts';
import type {
  OfferView,
  RegisterProviderRequest,
  SubmitOfferRequest,
  WithdrawOfferRequest,
} from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { eventually } from '@svc/testing';
import * as fc from 'fast-check';
import { wholeRequest } from './catalogue/catalogue.for-spec';
import { scopeOf } from './publication/certified-offer.for-spec';
import { readEntries } from './publication/read-entries';
import { SigningProvider } from './signing-provider.for-spec';
import { SupplyMarket } from './supply-market.for-spec';

const PROVIDERS = 2;
const PROFILES = ['cpu-8k', 'cpu-8k-b'];
const act = { actor: 'carol', reason: 'a test' };

type Signed =
  | { kind: 'register'; request: RegisterProviderRequest }
  | { kind: 'submit'; request: SubmitOfferRequest }
  | { kind: 'withdraw'; request: WithdrawOfferRequest };

interface Step {
  kind:
    | 'register'
    | 'submit'
    | 'reprice'
    | 'withdraw'
    | 'replay'
    | 'certify'
    | 'refuse'
    | 'suspendOffer'
    | 'reinstateOffer'
    | 'suspendProvider'
    | 'reinstateProvider';
  who: number;
  profile: number;
  /** What varies of an act: a price, a context, which old act is replayed. */
  variant: number;
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Step['kind']>('register') },
      { weight: 6, arbitrary: fc.constant<Step['kind']>('submit') },
      { weight: 5, arbitrary: fc.constant<Step['kind']>('reprice') },
      { weight: 6, arbitrary: fc.constant<Step['kind']>('certify') },
      {
        weight: 8,
        arbitrary: fc.constantFrom<Step['kind']>(
          'withdraw',
          'replay',
          'refuse',
          'suspendOffer',
          'reinstateOffer',
          'suspendProvider',
          'reinstateProvider',
        ),
      },
    ),
    who: fc.nat(PROVIDERS - 1),
    profile: fc.nat(PROFILES.length - 1),
    variant: fc.nat(50),
  }),
  { minLength: 10, maxLength: 40 },
);

let market: SupplyMarket;
/** Published offers that were looked at: without any, nothing was shown. */
let looked = 0;

/** One sequence of acts of providers of its own. */
class Sequence {
  private readonly providers = Array.from({ length: PROVIDERS }, () => new SigningProvider());
  private readonly done: Signed[] = [];
  private readonly nonces = new Map<string, number>();

  /** One provider sells already, another is still to join. */
  async begin(): Promise<void> {
    for (const kind of ['register', 'submit', 'certify'] as const) {
      await this.act({ kind, who: 0, profile: 0, variant: 0 });
    }
  }

  /** Refusals are as good as anything else; anything that is none is not. */
  async take(step: Step): Promise<void> {
    try {
      await this.act(step);
    } catch (error) {
      if (!SvcError.is(error) || error.code !== 'invalid_request') throw error;
    }
  }

  private async act({ kind, who, profile, variant }: Step): Promise<unknown> {
    const provider = this.providers[who]!;
    const offerId = provider.offerId('tiny-q4', PROFILES[profile]);
    const terms = { profile: PROFILES[profile]!, inputPricePerMtok: `${variant + 1}` };
    switch (kind) {
      case 'register':
        return this.send({ kind: 'register', request: await provider.registration() });
      case 'submit':
        return this.send({
          kind: 'submit',
          request: await provider.offer({ ...terms, contextLimit: 1_000 + variant }),
        });
      case 'reprice':
        return this.send({ kind: 'submit', request: await provider.offer(terms) });
      case 'withdraw':
        return this.send({ kind: 'withdraw', request: await provider.withdrawal(offerId) });
      case 'replay': {
        const old = this.done[variant % Math.max(1, this.done.length)];
        if (!old) return;
        return this.send(old).then(() => Promise.reject(new Error('an act was done twice')));
      }
      case 'certify':
        return (await this.isOpen(offerId)) && market.certify(offerId, scopeOf({ concurrency: 1 + variant }));
      case 'refuse':
        return (await this.isOpen(offerId)) && market.refuse(offerId);
      case 'suspendOffer':
        return market.operate(catalogContracts.suspendOffer, { ...act, offerId });
      case 'reinstateOffer':
        return market.operate(catalogContracts.reinstateOffer, { ...act, offerId });
      case 'suspendProvider':
        return market.operate(catalogContracts.suspendProvider, { ...act, provider: provider.wallet });
      case 'reinstateProvider':
        return market.operate(catalogContracts.reinstateProvider, { ...act, provider: provider.wallet });
    }
  }

  private async send(signed: Signed): Promise<void> {
    if (signed.kind === 'register') await market.call(catalogContracts.registerProvider, signed.request);
    if (signed.kind === 'submit') await market.call(catalogContracts.submitOffer, signed.request);
    if (signed.kind === 'withdraw') await market.call(catalogContracts.withdrawOffer, signed.request);
    this.done.push(signed);
  }

  private async isOpen(offerId: string): Promise<boolean> {
    const status = { in: ['queued', 'running'] };
    return (await market.prisma.certification.count({ where: { offerId, status } })) > 0;
  }

  async check(): Promise<void> {
    const wallets = this.providers.map(({ wallet }) => wallet);
    await this.checkNonces(wallets);
    await checkVersions(wallets);
    // Whoever acts is answered before it is published, should that take long.
    await eventually(() => checkView(wallets).then(() => true));
  }

  private async checkNonces(wallets: string[]): Promise<void> {
    for (const { wallet, nonce } of await market.prisma.provider.findMany({
      where: { wallet: { in: wallets } },
    })) {
      expect(Number(nonce)).toBeGreaterThanOrEqual(this.nonces.get(wallet) ?? 0);
      this.nonces.set(wallet, Number(nonce));
    }
  }
}

async function checkVersions(wallets: string[]): Promise<void> {
  const offers = await market.prisma.offer.findMany({
    where: { providerWallet: { in: wallets } },
    include: { versions: { orderBy: { version: 'asc' } }, certifications: true },
  });
  for (const { version, liveVersion, versions, certifications } of offers) {
    expect(versions.map((row) => row.version)).toEqual(Array.from({ length: version }, (_, at) => at + 1));
    const nonces = versions.map((row) => Number(row.nonce));
    expect(nonces).toEqual([...nonces].sort((a, b) => a - b));
    // Whatever is not certified is being certified, or was refused.
    const newest = certifications.sort((a, b) => b.requestedAt.getTime() - a.requestedAt.getTime())[0];
    if (liveVersion !== version) expect(newest?.version).toBe(version);
  }
}

/** What is published is exactly what is certified and not withdrawn or suspended, at terms that were certified. */
async function checkView(wallets: string[]): Promise<void> {
  const published = (await publishedOffers()).filter(({ provider }) => wallets.includes(provider));
  const live = await market.prisma.offer.findMany({
    where: {
      providerWallet: { in: wallets },
      provider: { suspendedAt: null },
      suspendedAt: null,
      withdrawnAt: null,
      liveVersion: { not: null },
    },
  });
  expect(published.map(({ offerId }) => offerId).sort()).toEqual(live.map(({ id }) => id).sort());
  for (const view of published) {
    const where = { id: view.certified.certificationId, offerId: view.offerId };
    const proof = await market.prisma.certification.findFirstOrThrow({ where, include: { terms: true } });
    const { status, kind, terms } = proof;
    expect({ status, kind }).toEqual({ status: 'passed', kind: 'full' });
    expect(view).toMatchObject({
      endpoint: terms.endpoint,
      upstreamModel: terms.upstreamModel,
      contextLimit: terms.contextLimit,
      firstTokenTimeoutMs: terms.firstTokenTimeoutMs,
    });
    expect(view.version).toBeGreaterThanOrEqual(proof.version);
    expect(view.concurrency).toBeLessThanOrEqual((proof.result as { concurrency: number }).concurrency);
  }
  looked += published.length;
}

async function publishedOffers(): Promise<OfferView[]> {
  const { connection } = market.observer;
  const entries = await readEntries(await connection.jetstream().views.kv('catalog_offers'), 0);
  for (const entry of entries) {
    if (entry.operation === 'PUT') expect(entry.key).toBe(catalogKey(entry.json<OfferView>().offerId));
  }
  return entries.filter(({ operation }) => operation === 'PUT').map((entry) => entry.json<OfferView>());
}

beforeAll(async () => {
  market = await SupplyMarket.open({ certificationsPerHour: 100_000, versionsPerHour: 100_000 });
  // Acts go to whichever instance takes them.
  await market.startCatalog({ certificationsPerHour: 100_000, versionsPerHour: 100_000 });
  const [profile] = wholeRequest().profiles;
  await market.apply(
    wholeRequest({ profiles: PROFILES.map((id, at) => ({ ...profile!, id, speedTier: `${at}` })) }),
  );
});

afterAll(() => market.close());

describe('whatever providers and operators do', () => {
  it('nonces never fall, versions have no gaps, and only what is certified is published', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const run = new Sequence();
        await run.begin();
        for (const step of sequence) {
          await run.take(step);
          await run.check();
        }
      }),
      { numRuns: 15, endOnFailure: true },
    );
    expect(looked).toBeGreaterThan(100);
  }, 180_000);

  it('the same act sent many times at once is done once', async () => {
    const provider = new SigningProvider();
    await market.call(catalogContracts.registerProvider, await provider.registration());
    const request = await provider.offer();
    const sent = Array.from({ length: 8 }, () => market.call(catalogContracts.submitOffer, request));
    const outcomes = await Promise.allSettled(sent);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await checkVersions([provider.wallet]);
  });

  it('the last of many acts at once is what both instances publish', async () => {
    const providers = Array.from({ length: 6 }, () => new SigningProvider());
    await Promise.all(
      providers.map(async (provider) => {
        await market.call(catalogContracts.registerProvider, await provider.registration());
        const { offerId } = await market.call(catalogContracts.submitOffer, await provider.offer());
        await market.certify(offerId);
        for (let price = 1; price <= 8; price++) {
          const request = await provider.offer({ inputPricePerMtok: `${price}` });
          await market.call(catalogContracts.submitOffer, request);
        }
      }),
    );
    const wallets = providers.map(({ wallet }) => wallet);
    await eventually(async () => {
      const published = (await publishedOffers()).filter(({ provider }) => wallets.includes(provider));
      expect(published.map(({ version, inputPricePerMtok }) => [version, inputPricePerMtok])).toEqual(
        providers.map(() => [9, '8']),
      );
      return true;
    });
  });
});

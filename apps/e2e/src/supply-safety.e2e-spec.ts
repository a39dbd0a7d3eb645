import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOG_BUCKETS, catalogKey } from '@svc/contracts';
import type { OfferView } from '@svc/contracts';
import { workspaceRoot } from '@svc/local-servers';
import { connectMessaging } from '@svc/messaging';
import { supplyDomain } from '@svc/supply-messages';
import type { OfferMessage } from '@svc/supply-messages';
import { Wallet } from 'ethers';
import { EchoesSecrets } from './bad-providers/echoes-secrets';
import { HonestProvider } from './honest-provider/honest-provider';
import { inSnakeCase } from './stack/supplier';
import type { Supplier } from './stack/supplier';
import { SupplyMarket } from './stack/supply-market';

const STATE_DIR = '.local/e2e-supply-safety';
const TOKEN = 'sk-secret-of-the-endpoint-7f3a';
const WRITES_PER_MINUTE = 100;
const FLOOD = 10_000;
const AT_ONCE = 50;

describe('supply', () => {
  let market: SupplyMarket;
  let seller: Supplier;
  const honest = new HonestProvider(4);
  const echoing = new EchoesSecrets(4);

  beforeAll(async () => {
    [market] = await Promise.all([
      SupplyMarket.launch(STATE_DIR, {
        LOG_LEVEL: 'debug',
        CERTIFICATION_MAX_ARGUMENT_BYTES: '2048',
        SUPPLY_WRITES_PER_MINUTE: String(WRITES_PER_MINUTE),
        SUPPLY_READS_PER_MINUTE: '10000',
      }),
      honest.start(),
      echoing.start(),
    ]);
    await market.defineModels(['sound', 'echo', 'wanted']);
    seller = market.supplier();
    await seller.register({ name: 'Seller', contact: 'seller@private.example' });
    await seller.offer(seller.offerOf('sound', honest.url), { credential: TOKEN });
    await seller.offer(seller.offerOf('echo', echoing.url), { credential: TOKEN });
  });

  afterAll(async () => {
    await Promise.all([honest.stop(), echoing.stop()]);
    await market?.stop();
  });

  const certified = async (name: string) => (await seller.judged(name)).certification?.status;

  describe('tells nobody', () => {
    it('where an endpoint is, or its credential, in what everybody may read', async () => {
      expect(await certified('sound')).toBe('passed');
      await certified('echo');
      const { address } = seller;
      const paths = [`/v1/providers/${address}`, '/v1/models'];
      for (const name of ['sound', 'echo']) {
        const { certification } = await seller.status(name);
        paths.push(`/v1/certifications/${certification?.certification_id}`);
        paths.push(`/v1/models/${encodeURIComponent(`svc/${name}@1`)}`);
      }
      for (const path of paths) {
        const text = JSON.stringify((await seller.get(path)).body);
        expect(text).not.toContain(TOKEN);
        expect(text).not.toContain('seller@private.example');
        for (const { url } of [honest, echoing]) {
          expect(text).not.toContain(url);
          expect(text).not.toContain(new URL(url).host);
        }
      }
      const report = JSON.stringify(await seller.report('echo'));
      expect(report).toContain('You are Bearer [credential]');
    });

    it('the credential, in the database', async () => {
      const stored = await market.rows<{ credential: string }>(
        'SELECT credential FROM catalog.offer_versions WHERE provider_wallet = $1',
        [seller.address],
      );
      expect(stored).toHaveLength(2);
      // Sealed twice, it is another text: nobody sees that two are the same.
      expect(new Set(stored.map(({ credential }) => credential)).size).toBe(2);
      const tables = await market.rows<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('catalog', 'billing')`,
      );
      expect(tables.length).toBeGreaterThan(20);
      for (const { name } of tables) {
        const found = await market.rows(`SELECT 1 FROM ${name} t WHERE strpos(t::text, $1) > 0`, [TOKEN]);
        expect([name, found]).toEqual([name, []]);
      }
    });

    it('the credential, in the bucket that cortex and dispatch follow; nor the endpoint, in the gateway’s', async () => {
      const { nats } = JSON.parse(readFileSync(join(workspaceRoot, STATE_DIR, 'secrets.json'), 'utf8')) as {
        nats: Record<string, string>;
      };
      const entries = async (user: 'cortex' | 'gateway', bucket: string): Promise<string[]> => {
        const natsUrl = `nats://${new URL(market.ready.natsUrl).host}`;
        const { connection } = await connectMessaging(user, {
          natsUrl,
          natsUser: user,
          natsPassword: nats[user],
        });
        const view = await connection.jetstream().views.kv(bucket, { bindOnly: true });
        const texts: string[] = [];
        const history = await view.watch({ initializedFn: () => history.stop() });
        for await (const entry of history) texts.push(`${entry.key} ${entry.string()}`);
        await connection.close();
        return texts;
      };
      const offers = await entries('cortex', CATALOG_BUCKETS.offers);
      const key = catalogKey(seller.offerId('sound'));
      const text = offers.find((entry) => entry.startsWith(`${key} `)) ?? '';
      const view = JSON.parse(text.slice(key.length + 1)) as OfferView;
      expect(view).toMatchObject({ endpoint: honest.url, credential: expect.any(String) as string });
      expect(offers.join()).not.toContain(TOKEN);
      const models = await entries('gateway', CATALOG_BUCKETS.models);
      expect(models.join()).not.toContain(honest.url);
      expect(models.join()).not.toContain(TOKEN);
    });

    it('the credential, in a log', () => {
      const directory = join(workspaceRoot, STATE_DIR, 'logs');
      const logs = readdirSync(directory).filter((name) => name.endsWith('.log'));
      expect(logs.length).toBeGreaterThan(4);
      for (const name of logs) expect(readFileSync(join(directory, name), 'utf8')).not.toContain(TOKEN);
    });
  });

  describe('costs nobody anything', () => {
    it('to be certified: no hold, no usage, nothing in the ledger', async () => {
      expect(await certified('sound')).toBe('passed');
      const [billing] = await market.rows(
        `SELECT (SELECT count(*) FROM billing.open_hold)::int AS holds, (SELECT count(*) FROM billing.usage_record)::int AS usage,
                (SELECT count(*) FROM billing.transfer)::int AS transfers, (SELECT count(*) FROM billing.receipt)::int AS receipts`,
      );
      expect(billing).toEqual({ holds: 0, usage: 0, transfers: 0, receipts: 0 });
      expect(honest.asked).toBeGreaterThan(20);
    });
  });

  describe('takes no act but the provider’s own', () => {
    const wanted = (fields: Partial<OfferMessage> = {}) => seller.offerOf('wanted', honest.url, fields);
    const versions = async (): Promise<number> => {
      const [row] = await market.rows<{ count: number }>(
        'SELECT count(*)::int AS count FROM catalog.offer_versions WHERE provider_wallet = $1',
        [seller.address],
      );
      return row?.count ?? 0;
    };
    const nonce = async (): Promise<number> =>
      (await seller.get<{ nonce: number }>(`/v1/providers/${seller.address}`)).body.nonce;
    let before: [number, number];

    beforeEach(async () => (before = [await versions(), await nonce()]));
    afterEach(async () => expect([await versions(), await nonce()]).toEqual(before));

    const refusedFor = (param: string, status = 400) => ({
      status,
      body: { error: { code: 'invalid_request', param } },
    });

    it.each([
      ['another chain', () => supplyDomain(1, market.domain.verifyingContract)],
      ['another contract', () => supplyDomain(market.domain.chainId, Wallet.createRandom().address)],
      ['another market', () => ({ ...market.domain, name: 'other supply' })],
      ['another version of the messages', () => ({ ...market.domain, version: '2' })],
    ])('signed for %s', async (_, domain) => {
      const offer = wanted();
      const signature = await seller.sign('Offer', offer, domain());
      expect(await seller.postOffer(offer, signature)).toMatchObject(refusedFor('signature'));
    });

    it('in somebody else’s name', async () => {
      const thief = market.supplier();
      const offer = wanted();
      const stolen = await thief.sign('Offer', offer);
      expect(await seller.postOffer(offer, stolen)).toMatchObject(refusedFor('signature'));
      // The other way round: the seller's offer, submitted as the thief's.
      const own = { ...offer, provider: thief.address };
      expect(await thief.postOffer(own, await seller.sign('Offer', offer))).toMatchObject(
        refusedFor('signature'),
      );
    });

    it('with a field changed after it was signed', async () => {
      const offer = wanted();
      const signature = await seller.sign('Offer', offer);
      const changes: Partial<OfferMessage>[] = [
        { endpoint: 'https://elsewhere.example/v1' },
        { inputPricePerMtok: '1' },
        { concurrency: 64 },
        { nonce: seller.nextNonce() },
      ];
      for (const change of changes) {
        expect(await seller.postOffer({ ...offer, ...change }, signature)).toMatchObject(
          refusedFor('signature'),
        );
      }
    });

    it('a second time, or after a later one', async () => {
      const registration = seller.registration({ name: 'Seller again', nonce: await nonce() });
      const signature = await seller.sign('Registration', registration);
      expect(await seller.post('/v1/providers', { ...registration, signature })).toMatchObject(
        refusedFor('nonce', 409),
      );
      const older = wanted({ nonce: (await nonce()) - 1 });
      expect(await seller.offer(older)).toMatchObject(refusedFor('nonce', 409));
    });

    it('signed as an act of another kind, or not at all', async () => {
      const registration = seller.registration();
      const signature = await seller.sign('Registration', registration);
      const offer = wanted({ nonce: registration.nonce });
      expect(await seller.postOffer(offer, signature)).toMatchObject(refusedFor('signature'));
      expect(await seller.postOffer(offer, '0x')).toMatchObject(refusedFor('signature'));
      expect(await seller.postOffer(offer, `0x${'00'.repeat(65)}`)).toMatchObject(refusedFor('signature'));
      expect(await seller.post('/v1/offers', inSnakeCase(offer))).toMatchObject(refusedFor('signature'));
    });

    it('of another provider: an offer is withdrawn by its own only', async () => {
      const thief = market.supplier();
      await thief.register({ name: 'Thief' });
      const { status } = await thief.withdraw(seller.offerId('sound'));
      expect(status).toBe(404);
      expect((await seller.status('sound')).state).toBe('live');
    });

    it.each<[string, Partial<OfferMessage>, string, RegExp, number?]>([
      ['one that is over', { expiresAt: 1_700_000_000 }, 'expires_at', /past|over/],
      [
        'a price above 10^12',
        { inputPricePerMtok: '1000000000001' },
        'input_price_per_mtok',
        /1000000000000/,
      ],
      ['a price that is negative', { outputPricePerMtok: '-1' }, 'output_price_per_mtok', /digits/],
      ['a price with a point', { outputPricePerMtok: '0.5' }, 'output_price_per_mtok', /digits/],
      [
        'a price of nothing',
        { inputPricePerMtok: '0', outputPricePerMtok: '0' },
        'output_price_per_mtok',
        /nothing/,
      ],
      ['an unknown model', { model: 'svc/nobody@1' }, 'model', /svc\/nobody@1/, 404],
      ['another model’s bundle', { bundle: 'sound-bundle' }, 'bundle', /svc\/sound@1/],
      ['more context than there is', { contextLimit: 32_769 }, 'context_limit', /32768|32,768/],
      ['an endpoint that is no URL', { endpoint: 'ftp://models.example/v1' }, 'endpoint', /http/],
      [
        'an endpoint with a password',
        { endpoint: 'http://a:b@models.example/v1' },
        'endpoint',
        /password|user/,
      ],
      ['an endpoint inside', { endpoint: 'http://169.254.169.254/v1' }, 'endpoint', /not public/],
    ])('that makes no sense: %s', async (_, fields, param, says, status = 400) => {
      const offer = wanted(fields);
      // Numbers that ethers cannot sign are refused before anybody looks at a signature.
      const signable = /^-|\./.test(offer.outputPricePerMtok) ? { ...offer, outputPricePerMtok: '1' } : offer;
      const reply = await seller.postOffer(offer, await seller.sign('Offer', signable));
      expect(reply).toMatchObject(refusedFor(param, status));
      expect(reply.body.error?.message).toMatch(says);
    });
  });

  describe('cannot be filled', () => {
    const counted = async (): Promise<object | undefined> =>
      (
        await market.rows(
          'SELECT (SELECT count(*) FROM catalog.providers)::int AS providers, (SELECT count(*) FROM catalog.audit)::int AS audit',
        )
      )[0];

    it('with ten thousand registrations that nobody signed', async () => {
      const before = await counted();
      const wallets = Array.from(
        { length: FLOOD },
        (_, index) => `0x${index.toString(16).padStart(40, '0')}`,
      );
      const startedMs = performance.now();
      const statuses = new Map<number, number>();
      const limited: Response[] = [];
      const workers = Array.from({ length: AT_ONCE }, async () => {
        for (let provider = wallets.pop(); provider; provider = wallets.pop()) {
          const response = await fetch(`${market.ready.gateway}/v1/providers`, {
            method: 'POST',
            // Whoever says to come from elsewhere is not believed.
            headers: {
              'content-type': 'application/json',
              'x-forwarded-for': `9.9.${wallets.length % 256}.9`,
            },
            body: JSON.stringify({
              ...{ provider, name: 'x', contact: '', nonce: 1, signature: `0x${'11'.repeat(65)}` },
            }),
          });
          await response.arrayBuffer();
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          if (response.status === 429) limited[0] ??= response;
        }
      });
      await Promise.all(workers);
      // Those that come at once may find the chain asked about others' signatures already: 503.
      const {
        400: refused = 0,
        503: postponed = 0,
        429: tooMany = 0,
        ...others
      } = Object.fromEntries(statuses);
      expect(others).toEqual({});
      expect(refused).toBeGreaterThan(0);
      expect(tooMany).toBeGreaterThan(0);
      // It may have taken more than one minute, and have begun and ended in the middle of one.
      const minutes = Math.ceil((performance.now() - startedMs) / 60_000) + 1;
      expect(refused + postponed).toBeLessThanOrEqual(WRITES_PER_MINUTE * minutes);
      expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await counted()).toEqual(before);
    });

    it('with registrations that are signed: one address makes so many a minute', async () => {
      const before = (await counted()) as { providers: number };
      const replies: number[] = [];
      // A minute may begin among them, with as many for it alone.
      while (!replies.includes(429) && replies.length <= 2 * WRITES_PER_MINUTE) {
        replies.push((await market.supplier().register({ name: 'Sock puppet' })).status);
      }
      expect(replies).toContain(429);
      const after = (await counted()) as { providers: number };
      expect(after.providers - before.providers).toBe(replies.filter((status) => status === 200).length);
    });

    it('while clients are served as ever', async () => {
      await market.untilServed('sound', true);
      const ask = { messages: [{ role: 'user', content: 'Say "hello".' }] };
      expect((await market.ask('sound', ask)).status).toBe(200);
    });
  });
});

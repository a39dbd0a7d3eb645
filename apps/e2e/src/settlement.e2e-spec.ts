import { settlementAt, testUsdcAt } from '@svc/contracts-evm';
import type { ReceiptDocument, UsageReceipt } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { Wallet } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { Marketplace } from './stack/marketplace';
import { verifyReceipt } from './stack/verify-receipt';

const REQUESTS = 7;
const MEANS = 5_000_000n;
const SETTLED_WITHIN_MS = 60_000;

let market: Marketplace;
let chain: JsonRpcProvider;

beforeAll(async () => {
  market = await Marketplace.connect();
  chain = await market.connectChain();
});
afterAll(async () => {
  chain.destroy();
  await market.close();
});

/** A wallet nobody has seen, with test USDC that the settlement contract may spend. */
async function newCustomer(): Promise<{ wallet: string; apiKey: string }> {
  const signer = Wallet.createRandom(chain);
  await chain.send('anvil_setBalance', [signer.address, '0xde0b6b3a7640000']);
  const token = testUsdcAt(market.ready.usdc, signer);
  await (await token.faucet(signer.address, MEANS)).wait();
  await (await token.approve(market.ready.settlement, MEANS)).wait();
  const wallet = signer.address.toLowerCase();
  const { apiKey } = await market.createKey(wallet);
  await eventually(async () => (await market.wallet(wallet)).spendable === String(MEANS));
  return { wallet, apiKey };
}

async function receiptOf(apiKey: string, requestId: string): Promise<Response> {
  return fetch(`${market.ready.gateway}/v1/receipts/${requestId}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
}

const baseUnits = (usdc: string) => BigInt(usdc.replace('.', ''));

describe('a wallet on the local chain', () => {
  it('buys, is settled to the base unit of its receipts, and anybody can check them', async () => {
    const { wallet, apiKey } = await newCustomer();
    const client = market.client({ apiKey });
    const served = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, index) => {
        const { data, response } = await client.chat.completions
          .create({
            model: 'svc/demo-small@1',
            messages: [{ role: 'user', content: `Count to ${index}.` }],
            max_tokens: 8 + index,
          })
          .withResponse();
        const { svc } = data as unknown as { svc: { cost_usdc: string } };
        return { id: response.headers.get('x-svc-request-id') ?? '', cost: svc.cost_usdc };
      }),
    );

    const documents = await eventually(
      async () => {
        const found = await Promise.all(
          served.map(async ({ id }) => (await (await receiptOf(apiKey, id)).json()) as ReceiptDocument),
        );
        return found.every(({ settlement }) => settlement) && found;
      },
      { timeoutMs: SETTLED_WITHIN_MS },
    );
    const usage = documents.map(({ receipt }) => receipt as UsageReceipt);
    expect(usage.map(({ id, cost_usdc: cost }) => ({ id, cost }))).toEqual(served);

    const owed = usage.reduce((sum, { cost_usdc: cost }) => sum + baseUnits(cost), 0n);
    const contract = settlementAt(market.ready.settlement, chain);
    await eventually(async () => (await contract.pulled(wallet)) === owed, { timeoutMs: SETTLED_WITHIN_MS });
    const token = testUsdcAt(market.ready.usdc, chain);
    const transfers = await token.queryFilter('Transfer', 0);
    const treasury = await contract.treasury();
    const paid = transfers
      .map((log) => token.interface.parseLog(log)?.args as unknown as [string, string, bigint])
      .filter(([from, to]) => from.toLowerCase() === wallet && to === treasury)
      .reduce((sum, [, , amount]) => sum + amount, 0n);
    expect(paid).toBe(owed);
    await eventually(
      async () => {
        const { charged, unsettled, held } = await market.wallet(wallet);
        return charged === String(owed) && unsettled === '0' && held === '0';
      },
      { timeoutMs: SETTLED_WITHIN_MS },
    );

    const [document] = documents as [ReceiptDocument];
    expect(await verifyReceipt(document)).toMatchObject({ status: 0 });
    const dearer = { ...document, receipt: { ...document.receipt, held_usdc: '1.000000' } };
    expect((await verifyReceipt(dearer)).status).toBe(1);
    const foreign = { ...document, receipt: { ...document.receipt, provider: wallet } };
    expect((await verifyReceipt(foreign)).status).toBe(1);
  });

  it('shows a receipt to its own wallet only', async () => {
    const [owner, stranger] = [await newCustomer(), await newCustomer()];
    const { response } = await market
      .client(owner)
      .chat.completions.create({
        model: 'svc/demo-small@1',
        messages: [{ role: 'user', content: 'Hello' }],
        max_tokens: 4,
      })
      .withResponse();
    const id = response.headers.get('x-svc-request-id') ?? '';
    await eventually(async () => (await receiptOf(owner.apiKey, id)).status === 200);
    const refusals = await Promise.all(
      [id, 'req_unknown', '%00'].map(async (wanted) => {
        const reply = await receiptOf(stranger.apiKey, wanted);
        return [reply.status, ((await reply.json()) as { error: { code: string } }).error.code];
      }),
    );
    expect(refusals).toEqual(Array.from({ length: 3 }, () => [404, 'invalid_request']));
    expect((await receiptOf('svc_test_no', id)).status).toBe(401);
  });
});

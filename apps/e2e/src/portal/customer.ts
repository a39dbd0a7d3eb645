import { testUsdcAt } from '@svc/contracts-evm';
import { eventually } from '@svc/testing';
import { Wallet } from 'ethers';
import { rowsOf } from '../stack/database';
import type { Marketplace } from '../stack/marketplace';

const MEANS = 25_000_000n;
const APPROVED = 10_000_000n;
const GAS_MONEY = '0xde0b6b3a7640000';
/** Beside whatever else is going on. */
const LISTED_WITHIN_MS = 60_000;

/** A wallet with a past, for pages that show one. */
export interface Customer {
  signer: Wallet;
  apiKey: string;
}

/** A wallet that nobody has seen, with ether for gas and nothing else. */
export async function stranger(market: Marketplace): Promise<Wallet> {
  const chain = await market.connectChain();
  try {
    const signer = new Wallet(Wallet.createRandom().privateKey);
    await chain.send('anvil_setBalance', [signer.address, GAS_MONEY]);
    return signer;
  } finally {
    chain.destroy();
  }
}

/**
 * The wallet lets the marketplace collect this much from now on, and billing has read it.
 * @param options.faucet test USDC that it is given before
 */
export async function approve(
  market: Marketplace,
  signer: Wallet,
  amount: bigint,
  { faucet = 0n } = {},
): Promise<void> {
  const chain = await market.connectChain();
  try {
    const token = testUsdcAt(market.ready.usdc, signer.connect(chain));
    if (faucet > 0n) await (await token.faucet(signer.address, faucet)).wait();
    await (await token.approve(market.ready.settlement, amount)).wait();
  } finally {
    chain.destroy();
  }
  await market.readChain(signer.address.toLowerCase());
}

/** A wallet with test USDC, an approval, a key, and as many requests as wanted, all of them in its usage. */
export async function customer(market: Marketplace, { requests = 0 } = {}): Promise<Customer> {
  const signer = await stranger(market);
  await approve(market, signer, APPROVED, { faucet: MEANS });
  const wallet = signer.address.toLowerCase();
  const { apiKey } = await market.createKey(wallet);
  await eventually(async () => (await market.wallet(wallet)).spendable === String(APPROVED));
  const client = market.client({ apiKey });
  for (let index = 0; index < requests; index++) {
    await client.chat.completions.create({
      model: MODELS[index % MODELS.length] ?? '',
      messages: [{ role: 'user', content: `What is ${index} and ${index}?` }],
      max_tokens: 12 + 4 * index,
    });
  }
  if (requests > 0) await untilListed(market, wallet, requests);
  return { signer, apiKey };
}

/** Each stands in the wallet's usage a moment after its charge. */
async function untilListed({ ready }: Marketplace, wallet: string, requests: number): Promise<void> {
  await eventually(
    async () => {
      const lines = await rowsOf(ready.databaseUrl, 'SELECT FROM billing.usage_line WHERE wallet = $1', [
        wallet,
      ]);
      return lines.length === requests;
    },
    { timeoutMs: LISTED_WITHIN_MS, intervalMs: 100 },
  );
}

const MODELS = ['svc/demo-small@1', 'svc/demo-large@1', 'svc/demo-text@1'];

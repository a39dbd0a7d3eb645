import { settlementAt, testUsdcAt } from '@svc/contracts-evm';
import { freePort } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { JsonRpcSigner, parseEther, toBeHex } from 'ethers';
import type { Wallet } from 'ethers';
import type { Page } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { ProviderFolder } from '../stack/provider-folder';
import { CERTIFIED_WITHIN_MS } from '../stack/supplier';
import { expectAccessible } from './accessibility';
import { openPortal, screenshot, usePortalBrowser } from './browser';
import { customer, stranger } from './customer';
import type { Customer } from './customer';
import { InjectedWallet } from './injected-wallet';

const MODEL = 'svc/demo-text@1';
/** Below what anybody else asks here, but not so low that a reply's share is nothing. */
const PRICES = { Input: '0.02', Output: '0.08' };
/** Billing publishes payouts every 30 s here, of what was collected before. */
const PAYABLE_WITHIN_MS = 150_000;

const browser = usePortalBrowser();
let market: Marketplace;
let node: ProviderFolder;
let endpoint: string;
let buyer: Customer;
let owner: Wallet;

beforeAll(async () => {
  market = await Marketplace.connect();
  node = new ProviderFolder();
  const port = await freePort();
  endpoint = `http://127.0.0.1:${port}/v1`;
  await node.run(['init', '--url', market.ready.gateway, '--name', 'Node']);
  node.edit([['  port: 9100\n', `  port: ${port}\n  tokens_per_second: 100\n  first_token_ms: 0\n`]]);
  await node.serve();
  buyer = await customer(market);
  owner = await stranger(market);
});
afterAll(async () => {
  await node.remove();
  await market.close();
});

async function comeIn(page: Page, path: string): Promise<InjectedWallet> {
  const wallet = await InjectedWallet.install(page.context(), owner);
  await openPortal(page, path);
  await page.getByRole('button', { name: 'Test Wallet' }).click();
  await page.getByRole('heading', { level: 1, name: 'Provide' }).waitFor();
  return wallet;
}

async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).first().click();
}

async function buy(): Promise<{ provider: string }> {
  const completion = await market.client({ apiKey: buyer.apiKey }).chat.completions.create({
    model: MODEL,
    messages: [{ role: 'user', content: 'Tell me something long.' }],
    max_tokens: 200,
  });
  return (completion as unknown as { svc: { provider: string } }).svc;
}

describe('a provider', () => {
  it('registers, signs an offer, watches its certification, and is live', async () => {
    const { page } = await browser.visit();
    const wallet = await comeIn(page, '/provide');
    const registration = page.getByRole('form', { name: 'Registration' });
    await registration.getByRole('textbox', { name: 'Name' }).fill('Ada’s models');
    await registration.getByRole('button', { name: 'Sign and register' }).click();
    await page.getByRole('link', { name: 'New offer' }).click();

    await choose(page, 'Model', MODEL);
    await choose(page, 'Build', /./);
    // Other specs may have defined more, with more context than the model takes: no more than that is filled in.
    await choose(page, 'Profile', /./);
    await page.getByRole('textbox', { name: 'Endpoint' }).fill(endpoint);
    await page.getByRole('textbox', { name: 'Model’s name on your server' }).fill('my-model');
    for (const [label, price] of Object.entries(PRICES)) {
      await page.getByRole('textbox', { name: `${label}, USDC per million tokens` }).fill(price);
    }
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign and send the offer' }).click();
    await page.getByRole('heading', { level: 2, name: 'Certification' }).waitFor();
    await screenshot(page, 'provider-certification');
    const outcome = page.getByText(/^Version 1: (passed|refused)/i);
    await outcome.waitFor({ timeout: CERTIFIED_WITHIN_MS });
    expect(await outcome.textContent()).toMatch(/passed/i);
    await page.getByText('Certified', { exact: true }).waitFor();
    expect(wallet.asked).toEqual(['personal_sign', 'eth_signTypedData_v4', 'eth_signTypedData_v4']);
    await page.getByText('Live', { exact: true }).first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'provider-live');
  }, 300_000);

  it('serves a buyer, sees what it earned, and has it paid out', async () => {
    await eventually(async () => (await buy()).provider === owner.address.toLowerCase(), {
      timeoutMs: 60_000,
    });
    const { page } = await browser.visit();
    const wallet = await comeIn(page, '/provide/earnings');
    // One for each day: another may have begun.
    await page.getByRole('row').filter({ hasText: MODEL }).first().waitFor();
    // The page asks by itself while the payout is on its way.
    const claim = page.getByRole('button', { name: 'Claim', disabled: false });
    await claim.waitFor({ timeout: PAYABLE_WITHIN_MS });
    // A transaction that succeeds, and moves nothing.
    await whileTreasuryLetsNothingBeSpent(async () => {
      await claim.click();
      await page.getByRole('alert').getByText('Nothing was paid out.').waitFor();
    });
    expect(await usdcOf(owner)).toBe(0n);
    await claim.click();
    await page.getByRole('note').getByText('Claimed. The tokens are in your wallet.').waitFor();
    expect(wallet.asked).toContain('eth_sendTransaction');
    expect(await usdcOf(owner)).toBeGreaterThan(0n);
    await screenshot(page, 'provider-earnings');
  }, 300_000);
});

async function whileTreasuryLetsNothingBeSpent(what: () => Promise<void>): Promise<void> {
  const { usdc, settlement } = market.ready;
  const chain = await market.connectChain();
  try {
    const treasury = await settlementAt(settlement, chain).treasury();
    await chain.send('anvil_setBalance', [treasury, toBeHex(parseEther('1'))]);
    await chain.send('anvil_impersonateAccount', [treasury]);
    const token = testUsdcAt(usdc, new JsonRpcSigner(chain, treasury));
    const allowance = await token.allowance(treasury, settlement);
    await (await token.approve(settlement, 0n)).wait();
    await what();
    await (await token.approve(settlement, allowance)).wait();
  } finally {
    chain.destroy();
  }
}

async function usdcOf({ address }: Wallet): Promise<bigint> {
  const chain = await market.connectChain();
  try {
    return await testUsdcAt(market.ready.usdc, chain).balanceOf(address);
  } finally {
    chain.destroy();
  }
}

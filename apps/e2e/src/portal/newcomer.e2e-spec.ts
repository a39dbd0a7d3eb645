import { readFileSync } from 'node:fs';
import { parseUsdc } from '@svc/money';
import { eventually } from '@svc/testing';
import type { Wallet } from 'ethers';
import type { Page } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { verifyReceipt } from '../stack/verify-receipt';
import { copiedBy, openPortal, portalUrl, screenshot, usePortalBrowser } from './browser';
import { stranger } from './customer';
import { InjectedWallet } from './injected-wallet';
import { portalConfig } from './sign-in';

/** What a person who has never seen the project may take to a charged reply; a machine reads nothing and takes far less. */
const MOST_MS = 120_000;
const SETTLED_WITHIN_MS = 90_000;

const browser = usePortalBrowser();
let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

/** The local chain's development wallet, but one that nobody has used yet. */
async function offerAsDevelopmentWallet(page: Page, wallet: Wallet): Promise<void> {
  const config = await portalConfig();
  const own = { label: 'Newcomer', private_key: wallet.privateKey, address: wallet.address };
  const json = { ...config, development_wallets: [own] };
  await page.context().route(portalUrl('/api/config'), (route) => route.fulfill({ json }));
}

/** From the sign-in page to a key, as the first steps say; each is the only filled button on the page. */
async function followFirstSteps(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByRole('button', { name: 'Get 100 test USDC' }).click();
  await steps.getByRole('button', { name: 'Approve USDC' }).click();
  const approval = page.getByRole('dialog', { name: 'How much may the marketplace collect?' });
  await approval.getByRole('button', { name: /^Approve 50/ }).click();
  await approval.getByText('Approved.').waitFor();
  await approval.getByRole('button', { name: 'Done' }).click();
  await steps.getByRole('button', { name: 'Create a key' }).click();
  await steps.getByText('Copy your key now').waitFor();
}

/** The curl that the page copies works as it stands. */
async function sendCopiedRequest(page: Page): Promise<void> {
  const shown = await copiedBy(page.getByRole('button', { name: 'Copy curl code' }));
  const [, key = ''] = /SVC_API_KEY=(\S+)/.exec(shown) ?? [];
  const [, url = ''] = /curl (\S+)/.exec(shown) ?? [];
  const [, body = ''] = /-d '([^']*)'/.exec(shown) ?? [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await fetch(url, { method: 'POST', headers, body });
  expect({ status: reply.status, reply: await reply.json() }).toMatchObject({ status: 200 });
}

/** @returns the request's id, and what the page says it cost */
async function talk(page: Page): Promise<{ id: string; cost: string }> {
  await page.getByRole('link', { name: 'Playground' }).first().click();
  await page.getByRole('textbox', { name: 'Your message' }).fill('Hello!');
  await page.getByRole('button', { name: 'Send' }).click();
  const reply = page.getByTestId('reply').last();
  const cost = (await reply.getByTestId('reply-cost').textContent()) ?? '';
  const link = await reply.getByRole('link', { name: 'Request' }).getAttribute('href');
  return { id: decodeURIComponent(link?.split('/').at(-1) ?? ''), cost: /[\d.]+/.exec(cost)?.[0] ?? '' };
}

describe('a newcomer', () => {
  it('with nothing installed comes to a charged reply, and finds what it cost and its receipt', async () => {
    const wallet = await stranger(market);
    const { page } = await browser.visit();
    await offerAsDevelopmentWallet(page, wallet);
    const startedMs = performance.now();
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Newcomer' }).click();
    await followFirstSteps(page);
    const { id, cost } = await talk(page);
    expect(performance.now() - startedMs).toBeLessThan(MOST_MS);
    await screenshot(page, 'newcomer-playground');

    const charged = await eventually(async () => {
      const { charged: units } = await market.wallet(wallet.address.toLowerCase());
      return units === '0' ? undefined : units;
    });
    expect(parseUsdc(cost)).toBe(BigInt(charged));

    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    const row = page.getByRole('table').last().getByRole('row').filter({ hasText: cost });
    await row.first().waitFor();
    await row.first().getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
    expect(page.url()).toContain(id);
    // The page follows its settlement by itself.
    await page.getByText('With its proof').waitFor({ timeout: SETTLED_WITHIN_MS });
    await screenshot(page, 'newcomer-request');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    const receipt = JSON.parse(readFileSync(await download.path(), 'utf8')) as object;
    expect(await verifyReceipt(receipt)).toMatchObject({ status: 0 });
  });

  it('with an extension’s wallet, which asks for each step, comes there too', async () => {
    const wallet = await stranger(market);
    const { page, context } = await browser.visit();
    const extension = await InjectedWallet.install(context, wallet, { name: 'Test Wallet' });
    // Listed before the others: what the page suggests must be a model that somebody serves.
    await market.models.define('a-model-of-nobody');
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await followFirstSteps(page);
    expect(extension.asked).toEqual(['personal_sign', 'eth_sendTransaction', 'eth_sendTransaction']);
    await sendCopiedRequest(page);
    const { cost } = await talk(page);
    expect(Number(cost)).toBeGreaterThan(0);
  });
});

describe('somebody who only looks', () => {
  it('sees the models without signing in, and finds the way in', async () => {
    const { page } = await browser.visit();
    await openPortal(page, '/models');
    await page.getByRole('link', { name: 'svc/demo-small@1' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });
});

describe('a wallet’s owner', () => {
  it('may say no, and is not blamed for it', async () => {
    const { page, context } = await browser.visit();
    const extension = await InjectedWallet.install(context, await stranger(market));
    extension.mood = 'rejects';
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('You declined in your wallet. Nothing was signed or sent.').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');

    extension.mood = 'agrees';
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    extension.mood = 'rejects';
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('button', { name: 'Get 100 test USDC' }).click();
    await page.getByText('You declined in your wallet. Nothing was signed or sent.').first().waitFor();
  });

  it('on another chain is brought to the marketplace’s before anything is sent', async () => {
    const { page, context } = await browser.visit();
    const extension = await InjectedWallet.install(context, await stranger(market), { chainId: 1 });
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('button', { name: 'Get 100 test USDC' }).click();
    await steps.getByRole('button', { name: 'Approve USDC' }).waitFor();
    expect(extension.chain).toBe((await portalConfig()).chain.id);
  });

  it('who changes the account signs nothing with the other one', async () => {
    const { page, context } = await browser.visit();
    const extension = await InjectedWallet.install(context, await stranger(market));
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    const steps = page.getByRole('region', { name: 'First steps' });
    const faucet = steps.getByRole('button', { name: 'Get 100 test USDC' });
    await faucet.waitFor();
    await extension.switchAccount(await stranger(market));
    await faucet.click();
    await page
      .getByText(/but you are signed in with/)
      .first()
      .waitFor();
    expect(extension.asked).toEqual(['personal_sign']);
  });
});

import { eventually } from '@svc/testing';
import type { Page } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import {
  copiedBy,
  holdBack,
  openPortal,
  refuseUntilTriedAgain,
  screenshot,
  settled,
  usePortalBrowser,
} from './browser';
import { approve, customer, stranger } from './customer';
import { InjectedWallet } from './injected-wallet';
import { signIn } from './sign-in';

/** Of what may be owed before it is collected: 100 USDC. */
const MORE_THAN_THE_CAP = 250_000_000n;

const browser = usePortalBrowser();
let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

/** A customer's page, and its wallet, which is connected. */
async function connectedOverview({ requests = 0 } = {}) {
  const { page, context } = await browser.visit();
  const { signer } = await customer(market, { requests });
  const wallet = await InjectedWallet.install(context, signer, { name: 'Fox' });
  await openPortal(page, '/');
  await page.getByRole('button', { name: 'Fox' }).click();
  return { page, wallet };
}

async function openApproval(page: Page) {
  await page.getByRole('button', { name: 'Change approval' }).click();
  return page.getByRole('dialog', { name: 'How much may the marketplace collect?' });
}

describe('the overview', () => {
  it('leads a wallet with nothing from its first test USDC to a curl that works', async () => {
    const { page, context } = await browser.visit();
    const signer = await stranger(market);
    const wallet = await InjectedWallet.install(context, signer, { name: 'Fox' });
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByText('0 of 4 done').waitFor();
    await page.getByText('No requests yet').waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Get 100 test USDC' }).click();
    await page.getByText('1 of 4 done').waitFor();
    await page.getByRole('button', { name: 'Approve USDC' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Approval in USDC').fill('12.5');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Approve 12.50 USDC' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('2 of 4 done').waitFor();
    // Who goes by keyboard is at the next step, not at the top again.
    await eventually(
      async () => (await page.evaluate('document.activeElement.textContent')) === 'Create an API key',
    );
    expect(wallet.asked).toEqual(['personal_sign', 'eth_sendTransaction', 'eth_sendTransaction']);
    await expect(market.wallet(signer.address.toLowerCase())).resolves.toMatchObject({
      spendable: '12500000',
    });

    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('3 of 4 done').waitFor();
    const code = await copiedBy(page.getByRole('button', { name: 'Copy curl code' }));
    const apiKey = /^export SVC_API_KEY=(svc_test_\w+)\ncurl /.exec(code)?.[1] ?? '';
    const body = JSON.parse(/-d '([^']+)'/.exec(code)?.[1] ?? '') as { model: string };
    await eventually(() => market.client({ apiKey }).models.list());
    await market
      .client({ apiKey })
      .chat.completions.create({ ...body, messages: [{ role: 'user', content: 'Hello!' }] });

    // It appears by itself, with what it cost.
    const recent = page.getByRole('region', { name: 'Recent requests' }).getByRole('row');
    await recent.getByRole('link').waitFor();
    await page.getByRole('heading', { name: 'Call the API' }).waitFor();
    // The value of the key was never kept.
    await page.reload();
    await settled(page);
    await page.getByText('Put your key where it says').waitFor();
    expect(await page.content()).not.toContain(apiKey);
  });

  it('says nothing of what comes after the first steps before it knows whether they are done', async () => {
    const { page } = await browser.visit();
    await signIn(page, await stranger(market));
    const letGo = await holdBack(page, '**/portal/api/keys');
    await openPortal(page, '/');
    await page.getByText('Spendable now').waitFor();
    expect(await page.getByRole('heading', { name: 'Call the API' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Get 100 test USDC' }).count()).toBe(0);
    letGo();
    await page.getByText('0 of 4 done').waitFor();
  });

  it('gives no code to copy before it knows a model that works', async () => {
    const { page } = await browser.visit();
    await signIn(page, (await customer(market)).signer);
    const letGo = await holdBack(page, '**/v1/models');
    await openPortal(page, '/');
    await page.getByText('3 of 4 done').waitFor();
    await page.getByLabel('Loading the code').and(page.locator('[aria-busy="true"]')).waitFor();
    const copy = page.getByRole('button', { name: 'Copy curl code' });
    expect(await copy.count()).toBe(0);
    letGo();
    expect(await copiedBy(copy)).toContain('"model": "svc/');
  });

  it('shows in one picture what the wallet has, with the same as a table', async () => {
    const { page } = await browser.visit();
    await signIn(page, (await customer(market, { requests: 2 })).signer);
    await openPortal(page, '/');
    await settled(page);
    const parts = page.getByRole('table', { name: 'The parts of your USDC' });
    await parts.getByRole('row', { name: /Spendable .* USDC/ }).waitFor();
    await parts.getByRole('row', { name: /Not approved .*15\.00 USDC/ }).waitFor();
    await page.getByText('in your wallet').first().waitFor();
    const recent = page.getByRole('region', { name: 'Recent requests' }).getByRole('row');
    // Each is listed a moment after its charge.
    await eventually(async () => (await recent.count()) === 3);
    await screenshot(page, 'overview-with-usage');
    await expectAccessible(page);
  });

  it('has room for the largest amounts on the narrowest phone', async () => {
    const { page } = await browser.visit({ expected: [/ERR_FAILED/] });
    await page.setViewportSize({ width: 320, height: 640 });
    await signIn(page, (await customer(market)).signer);
    const large = '123456789012.345678';
    await page.route('**/portal/api/live', (route) => route.abort());
    await page.route('**/portal/api/wallet', async (route) => {
      const position = (await (await route.fetch()).json()) as object;
      const spendable = { limit_usdc: large, available_usdc: large, spendable_usdc: large };
      const balance_usdc = '987654321098.765432';
      await route.fulfill({ json: { ...position, ...spendable, balance_usdc, approved_usdc: large } });
    });
    await openPortal(page, '/');
    await page.getByRole('cell', { name: '123,456,789,012.345678 USDC' }).waitFor();
    await screenshot(page, 'overview-large-320');
    const card = page.getByRole('region', { name: 'Spendable now' });
    const { x = 0, width = 0 } = (await card.boundingBox()) ?? {};
    for (const amount of await card.getByText(/\d{3},\d{3}/).all()) {
      const box = await amount.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(x + width - 20);
    }
    await expectAccessible(page);
  });

  it('tells what the cap leaves out from what waits for a settlement', async () => {
    const { page } = await browser.visit();
    const signer = await stranger(market);
    await approve(market, signer, MORE_THAN_THE_CAP, { faucet: MORE_THAN_THE_CAP });
    await signIn(page, signer);
    await openPortal(page, '/');
    const parts = page.getByRole('table', { name: 'The parts of your USDC' });
    await parts.getByRole('row', { name: /Spendable .*100\.00 USDC/ }).waitFor();
    await parts.getByRole('row', { name: /Beyond the cap .*150\.00 USDC/ }).waitFor();
    expect(await parts.getByRole('row').count()).toBe(2);
    await page.getByText(/How much you may owe .* is the limit now/).waitFor();
    await expectAccessible(page);
  });

  it('changes an approval, takes it back, and says what its owner declined', async () => {
    const { page, context } = await browser.visit();
    const { signer } = await customer(market);
    const wallet = await InjectedWallet.install(context, signer, { name: 'Fox' });
    await signIn(page, signer);
    await openPortal(page, '/');
    // The wallet was not connected in this tab yet: it is asked which one.
    const dialog = await openApproval(page);
    await dialog.getByLabel('Approval in USDC').fill('1.2345678');
    await dialog.getByText('at most six decimals').waitFor();
    expect(await dialog.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Take it back' }).click();
    await dialog.getByText('Your keys stop working at once.').waitFor();
    wallet.mood = 'rejects';
    await dialog.getByRole('button', { name: 'Take the approval back' }).click();
    await page
      .getByRole('dialog', { name: 'Connect your wallet' })
      .getByRole('button', { name: 'Fox' })
      .click();
    await dialog.getByRole('alert').getByText('You declined in your wallet').waitFor();
    wallet.mood = 'agrees';
    await dialog.getByRole('button', { name: 'Take the approval back' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Approve how much may be collected').waitFor();
    await expect(market.wallet(signer.address.toLowerCase())).resolves.toMatchObject({ limitHead: '0' });
  });

  it('shows an approval that is under way again, and sends no other one', async () => {
    const { page, wallet } = await connectedOverview({ requests: 1 });
    const letGo = await holdBack(page, '**/portal/api/wallet/refresh', 'POST');
    const dialog = await openApproval(page);
    await dialog.getByLabel('Approval in USDC').fill('12.5');
    await dialog.getByRole('button', { name: 'Approve 12.50 USDC' }).click();
    await dialog.getByText('Sent, waiting for the network').waitFor();
    // It is said once, by what says all news.
    expect(await dialog.getByRole('status').count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Change approval' }).click();
    await dialog.getByText('Sent, waiting for the network').waitFor();
    expect(await dialog.getByRole('button', { name: 'Approve 12.50 USDC' }).isDisabled()).toBe(true);
    // Also when its page was left meanwhile.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Change approval' }).click();
    await dialog.getByText('Sent, waiting for the network').waitFor();
    expect(await dialog.getByRole('button', { name: 'Approve 12.50 USDC' }).isDisabled()).toBe(true);
    letGo();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(wallet.asked).toEqual(['personal_sign', 'eth_sendTransaction']);
    // The next one begins afresh.
    await page.getByRole('button', { name: 'Change approval' }).click();
    await dialog.getByRole('button', { name: 'Approve 50.00 USDC' }).waitFor();
  });

  it('begins afresh after an approval that ended while its dialog was closed', async () => {
    const { page, wallet } = await connectedOverview({ requests: 1 });
    const letGo = await holdBack(page, '**/portal/api/wallet/refresh', 'POST');
    const dialog = await openApproval(page);
    const field = dialog.getByLabel('Approval in USDC');
    await field.fill('12.5');
    await dialog.getByRole('button', { name: 'Approve 12.50 USDC' }).click();
    await dialog.getByText('Sent, waiting for the network').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    letGo();
    await page.getByText('Confirmed', { exact: true }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Change approval' }).click();
    await dialog.getByRole('button', { name: 'Approve 50.00 USDC' }).and(page.locator(':enabled')).waitFor();
    await field.fill('13');
    await dialog.getByRole('button', { name: 'Approve 13.00 USDC' }).click();
    await dialog.getByRole('button', { name: 'Done' }).waitFor();
    // Nothing can be typed or sent there any more.
    expect(await field.isDisabled()).toBe(true);
    expect(wallet.asked).toEqual(['personal_sign', 'eth_sendTransaction', 'eth_sendTransaction']);
  });

  it('waits no longer than one likes for a wallet that does not answer, and says that it may still send', async () => {
    const { page, wallet } = await connectedOverview({ requests: 1 });
    const dialog = await openApproval(page);
    await dialog.getByLabel('Approval in USDC').fill('12.5');
    wallet.mood = 'thinks';
    await dialog.getByRole('button', { name: 'Approve 12.50 USDC' }).click();
    await dialog.getByText('Confirm it in your wallet.').waitFor();
    await eventually(() => wallet.asked.includes('eth_sendTransaction'));
    await dialog.getByRole('button', { name: 'Stop waiting' }).click();
    await dialog.getByRole('alert').getByText('what you confirm is sent all the same').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // As it said: confirmed now, it is sent, and the page shows what came of it, less what a settlement has collected since.
    wallet.mood = 'agrees';
    await page.getByText(/ 12\.(50|49\d+) approved/).waitFor();
  });

  it('switches a wallet that is on another chain before it sends anything', async () => {
    const { page, context } = await browser.visit();
    const wallet = await InjectedWallet.install(context, await stranger(market), { name: 'Fox', chainId: 1 });
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('button', { name: 'Get 100 test USDC' }).click();
    await page.getByText('1 of 4 done').waitFor();
    expect(wallet.asked).toEqual(['personal_sign', 'eth_sendTransaction']);
  });

  it('sends nothing on another chain when the wallet is switched while it asks', async () => {
    const { page, wallet } = await connectedOverview();
    const dialog = await openApproval(page);
    await dialog.getByLabel('Approval in USDC').fill('12.5');
    wallet.mood = 'thinks';
    const send = dialog.getByRole('button', { name: 'Approve 12.50 USDC' });
    await send.click();
    await eventually(() => wallet.asked.includes('eth_sendTransaction'));
    await wallet.switchChain(1);
    wallet.mood = 'agrees';
    await dialog.getByRole('alert').getByText('Try again').waitFor();
    // Once more, and the wallet is brought back first.
    await send.click();
    await dialog.getByText('Approved.').waitFor();
    expect(wallet.chain).not.toBe(1);
  });

  it('says what could not be loaded, and loads it by a click', async () => {
    const { page, complaints } = await browser.visit();
    complaints.expect(/status of 50\d/);
    await signIn(page, (await customer(market)).signer);
    const refusal = {
      status: 500,
      json: { error: { message: 'Something went wrong on our side.', code: 'internal_error' } },
    };
    await refuseUntilTriedAgain(page, '**/portal/api/wallet', refusal);
    await page.route('**/portal/api/live', (route) => route.fulfill(refusal));
    await page.route('**/portal/api/usage?*', (route) => route.fulfill(refusal));
    await openPortal(page, '/');
    await page.getByText('Your balance could not be loaded').waitFor();
    await page.getByText('Recent requests could not be loaded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('Spendable now').waitFor();
  });

  it('says why a wallet may not spend', async () => {
    const { page } = await browser.visit({ expected: [/ERR_FAILED/] });
    const { signer } = await customer(market);
    await signIn(page, signer);
    await openPortal(page, '/');
    await page.getByText('Spendable now').waitFor();
    await page.route('**/portal/api/live', (route) => route.abort());
    await page.route('**/portal/api/wallet', async (route) => {
      const position = (await (await route.fetch()).json()) as object;
      await route.fulfill({
        json: {
          ...position,
          stopped: { suspended_at: new Date().toISOString(), collection_failed_at: null },
        },
      });
    });
    await page.reload();
    await page.getByText('This wallet is suspended').waitFor();
    // An alert is said again whenever it changes.
    expect(await page.getByRole('alert').textContent()).not.toMatch(/ago|just now/);
    await expectAccessible(page);
  });
});

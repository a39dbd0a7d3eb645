import { eventually } from '@svc/testing';
import { Wallet } from 'ethers';
import { Marketplace } from '../stack/marketplace';
import { holdBack, openPortal, portalUrl, usePortalBrowser } from './browser';
import { customer, stranger } from './customer';
import { InjectedWallet } from './injected-wallet';
import { signIn } from './sign-in';

const DAY_MS = 86_400_000;

const browser = usePortalBrowser();
let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

const heading = (name: string) => ({ level: 1, name, exact: true }) as const;

describe('the sign-in page', () => {
  it('signs in with a wallet of the browser, by one signature and no transaction', async () => {
    const { page, context } = await browser.visit();
    const wallet = await InjectedWallet.install(context, await stranger(market), { name: 'Fox' });
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('heading', heading('Overview')).waitFor();
    expect(wallet.asked).toEqual(['personal_sign']);
    await eventually(async () => (await page.title()) === 'Overview · svc');
    // A reload keeps the session, and nothing of it is where a script could read it.
    await page.reload();
    await page.getByRole('heading', heading('Overview')).waitFor();
    const readable = await page.evaluate<string>(
      `document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })`,
    );
    const { csrf_token: csrf } = (await (await context.request.get(portalUrl('/api/session'))).json()) as {
      csrf_token: string;
    };
    expect(readable).not.toContain(csrf);
    expect(
      Object.keys(JSON.parse(readable) as object).every((key) =>
        ['svc-wallet', 'svc-color-scheme', 'svc-single-keys'].includes(key),
      ),
    ).toBe(true);
  });

  it('says of nobody that they are not signed in before it is known', async () => {
    const { page } = await browser.visit();
    await signIn(page, await stranger(market));
    const letGo = await holdBack(page, '**/portal/api/visitor');
    await page.goto(portalUrl('/'));
    const account = page.getByRole('button', { name: /^Account and appearance:/ });
    await account.waitFor();
    expect(await account.textContent()).not.toContain('Not signed in');
    letGo();
    await page.getByRole('heading', heading('Overview')).waitFor();
    expect(await account.textContent()).toContain('0x');
  });

  it('leads to the page that was asked for', async () => {
    const { page, context } = await browser.visit();
    await InjectedWallet.install(context, await stranger(market), { name: 'Fox' });
    await openPortal(page, '/account');
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('heading', heading('Account')).waitFor();
  });

  it('signs in with a development wallet, which says what it is', async () => {
    const { page } = await browser.visit();
    await openPortal(page, '/');
    await page.getByText('their keys are public').waitFor();
    await page.getByRole('button', { name: 'Development wallet: Buyer' }).click();
    await page.getByRole('heading', heading('Overview')).waitFor();
  });

  it('says in plain words that its owner declined, and lets him try again', async () => {
    const { page, context } = await browser.visit();
    const wallet = await InjectedWallet.install(context, await stranger(market), { name: 'Fox' });
    wallet.mood = 'rejects';
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('alert').getByText('You declined in your wallet').waitFor();
    wallet.mood = 'agrees';
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('heading', heading('Overview')).waitFor();
  });

  it('waits no longer than one likes for a wallet that does not answer', async () => {
    const { page, context } = await browser.visit();
    const wallet = await InjectedWallet.install(context, await stranger(market), { name: 'Fox' });
    wallet.mood = 'thinks';
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByRole('alert').getByText('You stopped waiting for your wallet').waitFor();
    wallet.mood = 'agrees';
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('heading', heading('Overview')).waitFor();
  });

  it.each([
    ['ahead', DAY_MS],
    ['behind', -DAY_MS],
  ])('signs in where the clock is a day %s, and goes by the marketplace’s', async (_, offMs) => {
    const { page, context } = await browser.visit();
    const { signer } = await customer(market, { requests: 1 });
    await InjectedWallet.install(context, signer, { name: 'Fox' });
    await context.clock.setSystemTime(Date.now() + offMs);
    await openPortal(page, '/usage?range=24h');
    await page.getByRole('button', { name: 'Fox' }).click();
    const request = page.getByRole('region', { name: 'The requests' }).getByRole('link');
    expect(await request.textContent()).toMatch(/just now|minutes? ago/);
  });

  it('says when the marketplace cannot be reached, and when it refuses', async () => {
    const { page, context, complaints } = await browser.visit();
    complaints.expect(/ERR_FAILED|status of 503/);
    await InjectedWallet.install(context, await stranger(market), { name: 'Fox' });
    await openPortal(page, '/');
    await page.route('**/portal/api/session/nonce', (route) => route.abort());
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.route('**/portal/api/session/nonce', (route) =>
      route.fulfill({
        status: 503,
        json: { error: { message: 'Too busy to sign anybody in.', code: 'no_capacity' } },
      }),
    );
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('alert').getByText('Too busy to sign anybody in.').waitFor();
  });

  it('says so when the portal cannot be loaded at all, and goes on by a click', async () => {
    const { page, complaints } = await browser.visit();
    complaints.expect(/status of 500/, /ApiError/);
    await page.route('**/portal/api/config', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(portalUrl('/'));
    await page.getByText('The portal could not be loaded').waitFor();
    await page.unroute('**/portal/api/config');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', heading('Sign in')).waitFor();
  });
});

describe('a wallet that is switched to another account', () => {
  it('is noticed: the page says so, signs nothing with it, and offers to sign out', async () => {
    const { page, context } = await browser.visit();
    const signer = await stranger(market);
    const wallet = await InjectedWallet.install(context, signer, { name: 'Fox' });
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Fox' }).click();
    await page.getByRole('heading', heading('Overview')).waitFor();
    await wallet.switchAccount(new Wallet(Wallet.createRandom().privateKey));
    await page.getByText('Your wallet is on another account').waitFor();
    await page.getByRole('button', { name: 'Get 100 test USDC' }).click();
    await page.getByText('but you are signed in with').waitFor();
    expect(wallet.asked).toEqual(['personal_sign']);
    await wallet.switchAccount(signer);
    await page.getByText('Your wallet is on another account').waitFor({ state: 'hidden' });
  });
});

describe('a wallet that is chosen to sign', () => {
  it('on another account than the session’s is not taken: it is said so, and the next choice counts', async () => {
    const { page, context } = await browser.visit();
    const signer = await stranger(market);
    const other = new Wallet(Wallet.createRandom().privateKey);
    const wallet = await InjectedWallet.install(context, other, { name: 'Fox' });
    await signIn(page, signer);
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Get 100 test USDC' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect your wallet' });
    await dialog.getByRole('button', { name: 'Fox' }).click();
    await dialog.getByText('but you are signed in with').waitFor();
    expect(wallet.asked).toEqual([]);
    await wallet.switchAccount(signer);
    await dialog.getByRole('button', { name: 'Fox' }).click();
    await page.getByText('1 of 4 done').waitFor();
    expect(wallet.asked).toEqual(['eth_sendTransaction']);
  });
});

describe('a session that ends while a page is open', () => {
  it('asks to sign in again above the page, and goes on where one was', async () => {
    const { page, context, complaints } = await browser.visit();
    complaints.expect(/status of 401/);
    const signer = await stranger(market);
    await InjectedWallet.install(context, signer, { name: 'Fox' });
    await signIn(page, signer);
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Get 100 test USDC' }).waitFor();
    await context.clearCookies();
    await page.getByRole('link', { name: 'Account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('button', { name: 'Fox' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('table').getByText('this one').waitFor();
  });
});

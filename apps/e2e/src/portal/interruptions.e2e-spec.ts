import { eventually } from '@svc/testing';
import { Marketplace, readReady } from '../stack/marketplace';
import { focusOn, holdBack, openPortal, portalUrl, settled, usePortalBrowser } from './browser';
import { customer } from './customer';
import { InjectedWallet } from './injected-wallet';
import { signIn } from './sign-in';

const RESTARTED_WITHIN_MS = 60_000;
const OFFLINE_MS = 60_000;
/** What the page waits, and a moment for a machine at work. */
const SAID_WITHIN_MS = 20_000;
/** Longer than rows are taken for new, and than the page waits before it asks again. */
const LATER_MS = 11_000;

const browser = usePortalBrowser();
let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

describe('when something is in the way', () => {
  it('offline: the page says so, keeps what it shows, and goes on by itself', async () => {
    const { signer } = await customer(market, { requests: 1 });
    const { page, context, complaints } = await browser.visit({ expected: [/net::ERR_|Failed to fetch/] });
    await signIn(page, signer);
    await openPortal(page, '/');
    await settled(page);
    const banner = page.getByText('You are offline');
    await context.setOffline(true);
    await banner.waitFor();
    await page.getByText('Spendable now').waitFor();
    await context.setOffline(false);
    await banner.waitFor({ state: 'hidden' });
    complaints.expect(/status of 50\d/);
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.getByRole('table').getByRole('row').nth(1).waitFor();
  });

  it('what changed while one was offline is there when the connection is back', async () => {
    const { signer } = await customer(market);
    const { page, context } = await browser.visit({ expected: [/net::ERR_|Failed to fetch/] });
    await signIn(page, signer);
    await context.clock.install();
    await openPortal(page, '/keys');
    await settled(page);
    await context.setOffline(true);
    await page.getByText('You are offline').waitFor();
    const { apiKey } = await market.createKey(signer.address.toLowerCase());
    await page.clock.fastForward(OFFLINE_MS);
    await context.setOffline(false);
    await page
      .getByRole('table')
      .getByText(`…${apiKey.slice(-4)}`)
      .waitFor();
  });

  it('what needs code that the page has not yet: refused while one is offline, and done when the connection is back', async () => {
    const { signer } = await customer(market);
    const { page, context } = await browser.visit({ expected: [/net::ERR_|Failed to fetch/] });
    await InjectedWallet.install(context, signer);
    await openPortal(page, '/');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByRole('button', { name: 'Change approval' }).click();
    const approval = page.getByRole('dialog', { name: 'How much may the marketplace collect?' });
    await approval.getByLabel('Approval in USDC').fill('7');
    const approve = approval.getByRole('button', { name: 'Approve 7.00 USDC' });
    await context.setOffline(true);
    await approve.click();
    await approval.getByText('The marketplace cannot be reached').waitFor();
    await context.setOffline(false);
    await approve.click();
    await approval.getByRole('button', { name: 'Done' }).click();
    await approval.waitFor({ state: 'hidden' });
    const palette = page.getByRole('dialog', { name: 'Search pages and commands' });
    await context.setOffline(true);
    await page.keyboard.press('Control+k');
    await page.getByRole('alert').getByText('The marketplace cannot be reached').waitFor();
    await context.setOffline(false);
    await page.keyboard.press('Control+k');
    await palette.waitFor();
  });

  it('a development wallet whose code the page has not yet: it signs in when the connection is back', async () => {
    const { page, context } = await browser.visit({ expected: [/net::ERR_|Failed to fetch/] });
    await openPortal(page, '/');
    const wallet = page.getByRole('button', { name: 'Development wallet: Buyer' });
    await context.setOffline(true);
    await wallet.click();
    await page.getByRole('alert').getByText('The marketplace cannot be reached').waitFor();
    await context.setOffline(false);
    await wallet.click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('rows that cannot be read anew: the page says that they are of before, until they can', async () => {
    const { signer } = await customer(market);
    const { page, context } = await browser.visit({ expected: [/status of 500/] });
    await signIn(page, signer);
    await context.clock.install();
    await openPortal(page, '/keys');
    await settled(page);
    await page.route('**/portal/api/keys', (route) => route.fulfill({ status: 500 }));
    await page.clock.fastForward(LATER_MS);
    // As when somebody comes back to the window.
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    const banner = page.getByRole('status').getByText('Not up to date');
    await banner.waitFor();
    expect(await page.getByRole('table').getByRole('row').count()).toBe(2);
    await page.unroute('**/portal/api/keys');
    await page.clock.fastForward(LATER_MS);
    await banner.waitFor({ state: 'hidden' });
  });

  it('billing that stands still: what cannot be read is said after one try, stays said, and comes by itself', async () => {
    const { signer } = await customer(market, { requests: 1 });
    const { page } = await browser.visit({ expected: [/status of 503/] });
    await signIn(page, signer);
    const refusals = { wallet: 0, usage: 0 };
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() === 503 && pathname === '/portal/api/wallet') refusals.wallet++;
      if (response.status() === 503 && pathname === '/portal/api/usage') refusals.usage++;
    });
    const billing = readReady().processes.billing ?? [];
    const signal = (name: NodeJS.Signals) => billing.forEach((pid) => process.kill(pid, name));
    signal('SIGSTOP');
    try {
      await openPortal(page, '/');
      const balance = page.getByRole('alert').filter({ hasText: 'Your balance could not be loaded' });
      await balance.getByText('It is asked again by itself.').waitFor();
      expect(refusals.wallet).toBe(1);
      await page.evaluate(`window.firstAlert = document.querySelector('[role="alert"]')`);
      await page.getByText('Recent requests could not be loaded').waitFor();
      expect(refusals.usage).toBe(1);
      await eventually(() => refusals.wallet >= 3 && refusals.usage >= 2, { timeoutMs: OFFLINE_MS });
      // The same one: no skeleton came in between, and nothing was read out again.
      expect(await page.evaluate<boolean>('window.firstAlert.isConnected')).toBe(true);
      expect(await page.getByRole('alert').count()).toBe(2);
    } finally {
      signal('SIGCONT');
    }
    await page.getByText('Spendable now').waitFor();
    await page.getByRole('table').getByText('svc/demo-small@1').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a gateway that takes connections and never answers: within seconds the page says so, and goes on by itself', async () => {
    const { page } = await browser.visit({ expected: [/net::ERR_|Failed to fetch/] });
    await signIn(page, (await customer(market)).signer);
    await openPortal(page, '/');
    await settled(page);
    const gateways = readReady().processes.gateway ?? [];
    const signal = (name: NodeJS.Signals) => gateways.forEach((pid) => process.kill(pid, name));
    const soon = { timeout: SAID_WITHIN_MS };
    signal('SIGSTOP');
    try {
      // Its code is not there yet, nor its rows.
      await page.getByRole('link', { name: 'Settlements' }).click();
      await page.getByRole('alert').getByText('The page comes as soon as it does').waitFor(soon);
    } finally {
      signal('SIGCONT');
    }
    await page.getByText('Nothing was collected yet').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await settled(page);
    const alert = page.getByRole('alert').filter({ hasText: 'Your usage could not be loaded' });
    signal('SIGSTOP');
    try {
      await page.getByText('24 hours').click();
      await alert.getByText('The marketplace does not answer.').waitFor(soon);
      await alert.getByRole('button', { name: 'Try again' }).waitFor();
    } finally {
      signal('SIGCONT');
    }
    await alert.waitFor({ state: 'hidden' });
  });

  it.each(['js', 'css'])(
    'a page whose %s is gone since the server was updated: it offers a reload',
    async (kind) => {
      const { page } = await browser.visit({ expected: [/status of 404|Failed to fetch|preload CSS/] });
      await signIn(page, (await customer(market)).signer);
      await page.route(`**/assets/keys-page-*.${kind}`, (route) => route.fulfill({ status: 404 }));
      await openPortal(page, '/');
      // Not by the menu, which fetches code as soon as it is pointed at.
      await Promise.all([page.keyboard.press('g'), page.keyboard.press('k')]);
      const alert = page.getByRole('alert');
      await alert.getByText('A newer version of this page was published').waitFor();
      expect(await alert.getByRole('button').allTextContents()).toEqual(['Reload']);
      await page.unroute(`**/assets/keys-page-*.${kind}`);
      await alert.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    },
  );

  it('a palette whose code is gone since the server was updated: the page that is open stays', async () => {
    const { page } = await browser.visit({ expected: [/status of 404|Failed to fetch|preload CSS/] });
    await signIn(page, (await customer(market)).signer);
    await page.route('**/assets/command-palette-*', (route) => route.fulfill({ status: 404 }));
    await openPortal(page, '/keys');
    await settled(page);
    for (let press = 0; press < 2; press++) {
      await page.keyboard.press('Control+k');
      await page.getByRole('alert').getByText('A newer version of this page was published').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('alert').waitFor({ state: 'hidden' });
    }
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('API keys');
  });

  it('a session that ends in the middle of a form: what was typed is still there after signing in again', async () => {
    const { signer } = await customer(market);
    const { page, context } = await browser.visit({ expected: [/status of 401/] });
    await InjectedWallet.install(context, signer);
    await openPortal(page, '/keys');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Typed before it ended');
    await context.clearCookies();
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create key' });
    await create.click();
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
    // Only who says so gives up what was typed.
    await page.keyboard.press('Escape');
    await ended.getByRole('button', { name: 'Test Wallet' }).click();
    await ended.waitFor({ state: 'hidden' });
    // The button that was clicked could not take the focus back: it was at work when the dialog came.
    await focusOn(page.getByRole('dialog', { name: 'Create an API key' }));
    expect(await name.inputValue()).toBe('Typed before it ended');
    // Nobody who has just signed in is told to.
    await page.getByRole('alert').getByText('Your session had ended, and nothing was sent.').waitFor();
    await create.click();
    await page
      .getByText(/svc_(test|live)_\w{40}/)
      .first()
      .waitFor();
    const keys = await (await context.request.get(portalUrl('/api/keys'))).text();
    expect(keys).toContain('Typed before it ended');
  });

  it('the same wallet that signs in anew in another tab: this one goes on with that session', async () => {
    const { signer } = await customer(market);
    const { page, context } = await browser.visit({ expected: [/status of 40[13]/] });
    await InjectedWallet.install(context, signer);
    await signIn(page, signer);
    await openPortal(page, '/keys');
    await settled(page);
    await context.clearCookies();
    const other = await context.newPage();
    await openPortal(other, '/account');
    // Once it has the new session, with which alone it may change anything, it reads its keys anew.
    const isTaken = page.waitForResponse(
      (response) => response.url().endsWith('/portal/api/keys') && response.ok(),
    );
    await other.getByRole('button', { name: 'Test Wallet' }).click();
    await other.getByRole('table').getByText('this one').waitFor();
    await isTaken;
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    await dialog.getByLabel('Name').fill('From the first tab');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
  });

  it('a wallet that signs in in another tab: one that waits on the sign-in page goes on to what was asked for', async () => {
    const { signer } = await customer(market);
    const { page, context } = await browser.visit({});
    await InjectedWallet.install(context, signer);
    await openPortal(page, '/keys');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const other = await context.newPage();
    await openPortal(other, '/account');
    await other.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await settled(page);
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    await dialog.getByLabel('Name').fill('From the tab that waited');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
  });

  it('another wallet that signs in in another tab: its figures never stand under the first one’s name', async () => {
    const [{ signer: first }, { signer: second }] = [await customer(market), await customer(market)];
    const { page, context } = await browser.visit({ expected: [/status of 401/] });
    await signIn(page, first);
    await openPortal(page, '/');
    await page.getByText('Spendable now').waitFor();
    // The tabs of a browser have one cookie.
    await signIn(await context.newPage(), second);
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
  });

  it('another wallet that signs in where a session has ended: it sees nothing of the first one’s, not for a moment', async () => {
    const [{ signer: first }, { signer: second }] = [
      await customer(market, { requests: 1 }),
      await customer(market),
    ];
    const { page, context } = await browser.visit({ expected: [/status of 401/] });
    const wallet = await InjectedWallet.install(context, first);
    await signIn(page, first);
    await openPortal(page, '/usage');
    const requests = page.getByRole('region', { name: 'The requests' }).getByRole('link');
    await requests.waitFor();
    await context.clearCookies();
    // The page may have noticed by itself: then the dialog is above it.
    await page.getByText('24 hours').dispatchEvent('click');
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
    const letGo = await holdBack(page, '**/portal/api/usage?*');
    await wallet.switchAccount(second);
    await ended.getByRole('button', { name: 'Test Wallet' }).click();
    await ended.waitFor({ state: 'hidden' });
    expect(await requests.count()).toBe(0);
    letGo();
    await page.getByText('No requests yet').waitFor();
  });

  it('a gateway that restarts while the page is open: figures go on, and nobody has to sign in again', async () => {
    const { signer, apiKey } = await customer(market);
    const { page } = await browser.visit({
      expected: [/net::ERR_|Failed to fetch|status of 50\d|ERR_INCOMPLETE/],
    });
    await signIn(page, signer);
    await openPortal(page, '/');
    await settled(page);
    await page.getByText('Spendable now').waitFor();
    const [before] = readReady().processes.gateway ?? [];
    process.kill(before ?? 0, 'SIGKILL');
    const isUp = () =>
      fetch(`${readReady().gateway}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(async () => (await isUp()) && readReady().processes.gateway?.[0] !== before, {
      timeoutMs: RESTARTED_WITHIN_MS,
    });
    await market.client({ apiKey }).chat.completions.create({
      model: 'svc/demo-small@1',
      messages: [{ role: 'user', content: 'After the restart.' }],
      max_tokens: 16,
    });
    // It was not reloaded: the new gateway's events bring it.
    await page
      .getByRole('table')
      .getByText('svc/demo-small@1')
      .first()
      .waitFor({ timeout: RESTARTED_WITHIN_MS });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview');
  });
});

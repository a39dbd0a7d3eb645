import { eventually } from '@svc/testing';
import type { Page } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import { focusOn, holdBack, openPortal, usePortalBrowser } from './browser';
import { stranger } from './customer';
import { signIn } from './sign-in';

const browser = usePortalBrowser();
let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

/** One wallet in two browsers, both at its account, which lists both below its head. */
async function signedInTwice() {
  const signer = await stranger(market);
  const [here, there] = [await browser.visit(), await browser.visit({ expected: [/status of 401/] })];
  await signIn(there.page, signer);
  await openPortal(there.page, '/account');
  await signIn(here.page, signer);
  await openPortal(here.page, '/account');
  const sessions = here.page.getByRole('region', { name: 'Your sessions' }).getByRole('row');
  await eventually(async () => (await sessions.count()) === 3);
  return { signer, here, there, sessions };
}

/** The page notices by itself: nobody does anything there. */
async function expectEnded(page: Page): Promise<void> {
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
}

describe('the account page', () => {
  it('lists where the wallet is signed in, and signs out everywhere', async () => {
    const { signer, here, there } = await signedInTwice();
    await here.page.getByText(signer.address.toLowerCase()).waitFor();
    await here.page.getByRole('row', { name: /this one/ }).waitFor();
    await expectAccessible(here.page);

    await here.page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await here.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await here.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await expectEnded(there.page);
  });

  it('asks for nothing any more once it has signed out, however slow the browser is', async () => {
    const { page } = await browser.visit();
    const slowly =
      'const set = setTimeout; window.setTimeout = (work, ms, ...rest) => set(work, ms || 100, ...rest)';
    await page.addInitScript(slowly);
    await signIn(page, await stranger(market));
    await openPortal(page, '/account');
    await page.getByRole('row', { name: /this one/ }).waitFor();
    const asked: string[] = [];
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(asked).toEqual(['DELETE /portal/api/sessions']);
  });

  it('signs out here alone', async () => {
    const signer = await stranger(market);
    const [here, there] = [await browser.visit(), await browser.visit()];
    await signIn(there.page, signer);
    await signIn(here.page, signer);
    await openPortal(here.page, '/account');
    await here.page.getByRole('button', { name: 'Sign out here' }).click();
    await here.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await openPortal(there.page, '/account');
    await there.page.getByRole('row', { name: /this one/ }).waitFor();
  });

  it('signs out of a session that has ended elsewhere', async () => {
    const { page, context } = await browser.visit({ expected: [/status of 401/] });
    await signIn(page, await stranger(market));
    // By which it would notice by itself.
    await holdBack(page, '**/portal/api/live');
    await openPortal(page, '/account');
    await page.getByRole('row', { name: /this one/ }).waitFor();
    await context.clearCookies();
    await page.getByRole('button', { name: 'Sign out here' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await page.getByText('Not signed out').count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it.each(['Sign out here', 'Sign out everywhere'])(
    'takes what it shows off every tab of the browser: %s',
    async (name) => {
      const { page, context } = await browser.visit();
      await signIn(page, await stranger(market));
      const other = await context.newPage();
      // By which it would notice by itself, and only that the session has ended.
      await holdBack(other, '**/portal/api/live');
      for (const tab of [page, other]) {
        await openPortal(tab, '/account');
        await tab.getByRole('row', { name: /this one/ }).waitFor();
      }
      await page.getByRole('button', { name }).click();
      if (name === 'Sign out everywhere')
        await page.getByRole('dialog').getByRole('button', { name }).click();
      for (const tab of [page, other]) {
        await tab.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
        expect(await tab.getByRole('dialog').count()).toBe(0);
      }
    },
  );

  it('signs out one other browser alone', async () => {
    const { here, there, sessions } = await signedInTwice();
    await sessions.getByRole('button', { name: /^Sign out/ }).click();
    await eventually(async () => (await sessions.count()) === 2);
    await focusOn(here.page.getByRole('heading', { level: 1 }));
    await here.page.getByRole('row', { name: /this one/ }).waitFor();
    await expectEnded(there.page);
  });

  it('says when the sessions could not be loaded', async () => {
    const { page, complaints } = await browser.visit();
    complaints.expect(/status of 500/);
    await signIn(page, await stranger(market));
    await page.route('**/portal/api/sessions', (route) => route.fulfill({ status: 500, json: {} }));
    await openPortal(page, '/account');
    await page.getByText('Your sessions could not be loaded').waitFor();
  });
});

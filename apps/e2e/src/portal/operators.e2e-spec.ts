import { eventually } from '@svc/testing';
import type { Wallet } from 'ethers';
import type { Locator, Page } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { Supplier } from '../stack/supplier';
import { expectAccessible } from './accessibility';
import {
  focusOn,
  openPortal,
  portalUrl,
  refuseUntilTriedAgain,
  screenshot,
  settled,
  usePortalBrowser,
} from './browser';
import type { VisitOptions } from './browser';
import { customer } from './customer';
import { developmentWallet, signIn } from './sign-in';

const EVIL = '"><img src=x onerror="window.owned = true">';

const browser = usePortalBrowser();
let market: Marketplace;
let operator: Wallet;

beforeAll(async () => {
  market = await Marketplace.connect();
  operator = await developmentWallet('operator');
});
afterAll(() => market.close());

async function operatorsPage(path = '', options: VisitOptions = {}): Promise<Page> {
  const { page } = await browser.visit(options);
  await signIn(page, operator);
  await openPortal(page, `/operators${path}`);
  return page;
}

/** Gives the reason that the dialog asks for. */
async function confirm(page: Page, verb: string, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: verb }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** A table has some of its cells for narrow screens only. */
const seen = (locator: Locator) => locator.filter({ visible: true }).first();

async function registered(name: string): Promise<Supplier> {
  const supplier = new Supplier(market.ready.gateway, market.domain);
  expect((await supplier.register({ name, contact: EVIL })).status).toBe(200);
  return supplier;
}

describe('the operators’ page', () => {
  it('is not there for anybody else', async () => {
    const { page, complaints } = await browser.visit();
    complaints.expect(/status of 404/);
    await signIn(page, await developmentWallet('buyer'));
    await openPortal(page, '/operators');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0);
    const reply = await page.request.get(portalUrl('/api/operators/overview'));
    expect(reply.status()).toBe(404);
  });

  it.each([
    { theme: 'light', width: 1280 },
    { theme: 'dark', width: 390 },
  ] as const)('has tabs that are accessible and fit, in $theme, $width px wide', async (look) => {
    const page = await operatorsPage('', look);
    await page.getByText('Live offers').waitFor();
    for (const tab of ['Overview', 'Providers', 'Wallets', 'Settlement', 'Audit trail']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      await settled(page);
      await expectAccessible(page);
      await screenshot(page, `operators-${tab.toLowerCase().replace(' ', '-')}-${look.theme}-${look.width}`);
      const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate<number>(sideways)).toBe(0);
    }
  });

  it('shows on a phone which tab is open, also to whoever comes by a link to one that would not fit', async () => {
    const page = await operatorsPage('/audit', { width: 390 });
    const beyond = `(() => {
      const tab = document.querySelector('[role="tab"][aria-selected="true"]').getBoundingClientRect();
      return Math.max(0, -tab.left, tab.right - innerWidth);
    })()`;
    for (const path of ['/audit', '', '/settlement']) {
      await openPortal(page, `/operators${path}`);
      await settled(page);
      expect([path, await page.evaluate<number>(beyond)]).toEqual([path, 0]);
    }
    await page.getByRole('tab', { name: 'Audit trail' }).click();
    await page.goBack();
    await page.getByRole('tab', { name: 'Settlement', selected: true }).waitFor();
    await eventually(async () => (await page.evaluate<number>(beyond)) === 0);
  });

  it('says on a small phone in full which trails there are', async () => {
    const page = await operatorsPage('/audit', { width: 390 });
    await page.setViewportSize({ width: 360, height: 800 });
    const trails = page.getByRole('radiogroup', { name: 'Which trail' });
    await trails.getByText('Wallets and settlement').waitFor();
    const cut = `[...document.querySelectorAll('[role="radiogroup"]')].map((group) => group.scrollWidth - group.clientWidth)`;
    expect(await page.evaluate<number[]>(cut)).toEqual([0]);
    await screenshot(page, 'operators-audit-trail-360');
  });

  it('suspends a provider with a reason and lets it back; both stand in the trail', async () => {
    const name = `Zed ${Date.now()} ${EVIL}`.slice(0, 80);
    const { address } = await registered(name);
    const page = await operatorsPage('/providers');
    await page.getByLabel('Find a provider').fill(name.slice(0, 12).toLowerCase());
    await page.getByRole('link', { name }).click();
    await page.getByText('Nothing was offered yet').waitFor();
    await page.getByRole('button', { name: 'Suspend provider' }).click();
    await page.getByRole('dialog').getByText('All its offers leave the market at once').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend provider' }).click();
    await page.getByText('Say why.').waitFor();
    await expectAccessible(page);
    await confirm(page, 'Suspend provider', `asked by its owner ${EVIL}`);
    await page.getByText('Suspended', { exact: true }).waitFor();
    await page.getByText(`asked by its owner ${EVIL}`).waitFor();
    await screenshot(page, 'operators-provider-suspended');

    await page.getByRole('tab', { name: 'Providers' }).click();
    await page.getByRole('switch', { name: 'Suspended only' }).click();
    await page.getByRole('button', { name: `Reinstate ${name}` }).click();
    await confirm(page, 'Reinstate provider', 'mended');
    await eventually(async () => (await page.getByRole('link', { name }).count()) === 0);
    await focusOn(page.getByRole('heading', { level: 1 }));

    await page.getByRole('tab', { name: 'Audit trail' }).click();
    await page.getByLabel('What was done to').fill(address);
    const rows = page.getByRole('region', { name: 'Audit trail' }).getByRole('row');
    await seen(rows.getByText('reinstated the provider')).waitFor();
    const mine = operator.address.toLowerCase();
    // Until only what was done to it is listed, others' acts stand there as well.
    await seen(rows.nth(1).getByTitle(mine)).waitFor();
    await seen(rows.getByText(`asked by its owner ${EVIL}`)).waitFor();
    expect(await page.evaluate('window.owned')).toBeUndefined();
  });

  it('suspends a wallet, whose key then does nothing, and reinstates it', async () => {
    const { signer, apiKey } = await customer(market);
    const wallet = signer.address.toLowerCase();
    const ask = () =>
      market.client({ apiKey }).chat.completions.create({
        model: 'svc/demo-small@1',
        messages: [{ role: 'user', content: 'Hello!' }],
        max_tokens: 5,
      });
    const page = await operatorsPage('/wallets');
    await page.getByLabel('Find a wallet').fill(signer.address);
    await page.getByRole('button', { name: `Suspend ${wallet}` }).click();
    await confirm(page, 'Suspend wallet', 'looks stolen');
    // Other specs' wallets may be in the list as well.
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: new RegExp(wallet) }) });
    await row.getByText('Suspended', { exact: true }).waitFor();
    await row.getByText('looks stolen').waitFor();
    await expect(ask()).rejects.toMatchObject({ status: 403, code: 'account_suspended' });
    await page.getByRole('button', { name: `Reinstate ${wallet}` }).click();
    await confirm(page, 'Reinstate wallet', 'was not stolen');
    await row.getByText('May spend', { exact: true }).waitFor();
    await expect(ask()).resolves.toMatchObject({ model: 'svc/demo-small@1' });
    await page.getByRole('tab', { name: 'Audit trail' }).click();
    await page.getByText('Wallets and settlement').click();
    await page.getByLabel('What was done to').fill(signer.address);
    const trail = page.getByRole('region', { name: 'Audit trail' });
    await seen(trail.getByText('was not stolen')).waitFor();
    await seen(trail.getByText('suspended the wallet')).waitFor();
    // What is looked for stands in the address.
    await page.reload();
    await seen(trail.getByText('was not stolen')).waitFor();
    expect(await page.getByLabel('What was done to').inputValue()).toBe(signer.address);
  });

  it('says when an address cannot be one, and when nobody is found', async () => {
    const page = await operatorsPage('/wallets');
    await page.getByLabel('Find a wallet').fill('0xhello');
    await page.getByText('An address holds the digits').waitFor();
    // Who does not see it hears it: once, and what was said is gone after three seconds.
    const heard = page.getByRole('status').getByText('Wallets: 0 rows').waitFor();
    const looked = page.waitForResponse(/operators\/wallets\?search=0x0/);
    await Promise.all([heard, looked, page.getByLabel('Find a wallet').fill(`0x${'0'.repeat(39)}1`)]);
    await page.getByText('No known wallet begins so.').waitFor();
    await settled(page);
    await expectAccessible(page);
  });

  it('pauses settlement by keyboard alone, and has it go on', async () => {
    const page = await operatorsPage('/settlement');
    await page.getByRole('button', { name: 'Pause settlement' }).focus();
    await page.keyboard.press('Enter');
    await focusOn(page.getByRole('dialog').locator('textarea'));
    await page.keyboard.type('looking at figures');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('looking at figures').waitFor();
    await page.getByText('Paused', { exact: true }).waitFor();
    await settled(page);
    await expectAccessible(page);
    await screenshot(page, 'operators-settlement-paused');
    await page.getByRole('button', { name: 'Resume settlement' }).click();
    await confirm(page, 'Resume settlement', 'all is well');
    await page.getByRole('button', { name: 'Pause settlement' }).waitFor();
  });

  it('says that nothing differs only once figures were compared', async () => {
    const page = await operatorsPage();
    const path = '/api/operators/settlement';
    const settlement = (await (await page.request.get(portalUrl(path))).json()) as object;
    for (const [comparedAt, words] of [
      [null, 'Not compared yet'],
      ['2026-11-28T08:00:00.000Z', 'Nothing differs'],
    ] as const) {
      await page.route(`**/portal${path}`, (route) =>
        route.fulfill({ json: { ...settlement, pauses: [], reconciled_at: comparedAt } }),
      );
      await openPortal(page, '/operators/settlement');
      await page.getByText(words).waitFor();
    }
  });

  it('says when figures cannot be read, and shows what can', async () => {
    const { page, complaints } = await browser.visit();
    complaints.expect(/status of 503/);
    await signIn(page, operator);
    await refuseUntilTriedAgain(page, '**/portal/api/operators/**', {
      status: 503,
      json: { error: { message: 'A part is away.', code: 'no_capacity' } },
    });
    await openPortal(page, '/operators');
    await page.getByText('The overview could not be loaded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Live offers').waitFor();
    await page.unroute('**/portal/api/operators/**');
    const replies = await page.request.get(portalUrl('/api/operators/overview'));
    const overview = (await replies.json()) as { settlement: object };
    await page.route('**/portal/api/operators/overview', (route) =>
      route.fulfill({ json: { ...overview, catalogue: null } }),
    );
    await page.reload();
    await page.getByText('The catalogue does not answer').waitFor();
    await page.getByText('Unsettled').waitFor();
    await settled(page);
    await expectAccessible(page);
  });
});

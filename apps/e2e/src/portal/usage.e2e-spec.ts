import { readFileSync } from 'node:fs';
import { eventually } from '@svc/testing';
import type { Wallet } from 'ethers';
import type { Page } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import { focusOn, holdBack, openPortal, portalUrl, screenshot, settled, usePortalBrowser } from './browser';
import type { VisitOptions } from './browser';
import { customer, stranger } from './customer';
import type { Customer } from './customer';
import { InjectedWallet } from './injected-wallet';
import { seedUsage } from './seeded-usage';
import { signIn } from './sign-in';

const REQUESTS = 6;
const METRICS = ['Cost', 'Requests served', 'Tokens', 'Time to the first token'];
const browser = usePortalBrowser();
let market: Marketplace;
let buyer: Customer;

beforeAll(async () => {
  market = await Marketplace.connect();
  buyer = await customer(market, { requests: REQUESTS });
});
afterAll(() => market.close());

async function usagePageOf(signer: Wallet, query = '', look: VisitOptions = {}) {
  const visitor = await browser.visit(look);
  await signIn(visitor.page, signer);
  await openPortal(visitor.page, `/usage${query}`);
  await settled(visitor.page);
  return visitor;
}

/** The rows of the list of requests, without its head. */
const rowsOf = (page: Page) => page.getByRole('region', { name: 'The requests' }).locator('tbody tr');
const chartOf = (page: Page, title: string) => page.getByRole('img', { name: `Chart: ${title}` });

describe('the usage page', () => {
  it('shows what was used: sums, charts with the same figures as tables, and the requests', async () => {
    const { page } = await usagePageOf(buyer.signer);
    await eventually(async () => (await rowsOf(page).count()) === REQUESTS);
    for (const title of METRICS) await chartOf(page, title).waitFor();
    // Nothing failed, and that is said in words.
    await page.getByRole('region', { name: 'Errors' }).getByText('None in this time.').waitFor();
    await page.getByRole('button', { name: 'Requests served as a table' }).click();
    const table = page.getByRole('region', { name: 'Requests served, table' });
    // Of all days: another one may have begun since the first of them.
    const figures = await table.locator('tbody td').allTextContents();
    expect(figures.reduce((sum, figure) => sum + Number(figure), 0)).toBe(REQUESTS);
    expect(await table.getByRole('columnheader').allTextContents()).toEqual(
      expect.arrayContaining(['Day (UTC)', 'svc/demo-small@1', 'svc/demo-large@1', 'svc/demo-text@1']),
    );
    await screenshot(page, 'usage-with-table');
    await expectAccessible(page);
  });

  it('splits by key and provider, and keeps all of the view in the address', async () => {
    const { page } = await usagePageOf(buyer.signer);
    await page.getByRole('radiogroup', { name: 'Split by' }).getByText('Key').click();
    await page.waitForURL(/by=key/);
    await page.getByRole('radiogroup', { name: 'Time' }).getByText('24 hours').click();
    await page.waitForURL(/range=24h/);
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'svc/demo-text@1' }).click();
    await page.waitForURL(/model=svc/);
    await eventually(async () => (await rowsOf(page).count()) === REQUESTS / 3);
    await page.reload();
    await settled(page);
    await eventually(async () => (await rowsOf(page).count()) === REQUESTS / 3);
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('svc/demo-text@1');
    await page.goBack();
    await eventually(async () => (await rowsOf(page).count()) === REQUESTS);
    await page.getByRole('radiogroup', { name: 'Split by' }).getByText('Provider').click();
    await page.getByRole('button', { name: 'Tokens as a table' }).click();
    await page
      .getByRole('region', { name: 'Tokens, table' })
      .getByText(/^0x[0-9a-f]{4}/)
      .first()
      .waitFor();
  });

  it('keeps both of two changes that come faster than they are shown; passing a field changes nothing', async () => {
    const { page } = await usagePageOf(buyer.signer);
    const visited = () => page.evaluate<number>('history.length');
    const before = await visited();
    await page.getByRole('textbox', { name: 'Provider' }).focus();
    await page.keyboard.press('Tab');
    expect(await visited()).toBe(before);
    await page.evaluate(`for (const value of ['key', '24h'])
      document.querySelector('input[type="radio"][value="' + value + '"]').click()`);
    await page.waitForURL(({ search }) => search.includes('by=key') && search.includes('range=24h'));
  });

  it('takes days, and addresses only whole', async () => {
    const { page } = await usagePageOf(buyer.signer);
    await page.getByRole('radiogroup', { name: 'Time' }).getByText('Days', { exact: true }).click();
    await page.getByLabel('First day (UTC)').fill('2024-02-28');
    await page.getByLabel('Last day (UTC)').fill('2024-03-01');
    await page.waitForURL(/from=2024-02-28&to=2024-03-01/);
    await page.getByText('No such requests in this time').waitFor();
    await page.getByRole('button', { name: 'Show all of the last 12 months' }).click();
    await eventually(async () => (await rowsOf(page).count()) === REQUESTS);
    const provider = page.getByRole('textbox', { name: 'Provider' });
    await provider.fill('0x12');
    await page.getByText('An address of 40 hex digits').waitFor();
    await provider.fill(`0x${'EF'.repeat(20)}`);
    await provider.press('Enter');
    await page.waitForURL(/provider=0xefef/);
    await page.getByText('No such requests in this time').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await eventually(async () => (await rowsOf(page).count()) === REQUESTS);
  });

  it('shows a new request by itself', async () => {
    const newcomer = await customer(market, { requests: 1 });
    const { page } = await usagePageOf(newcomer.signer);
    await eventually(async () => (await rowsOf(page).count()) === 1);
    const client = market.client({ apiKey: newcomer.apiKey });
    const messages = [{ role: 'user' as const, content: 'And now?' }];
    await client.chat.completions.create({ model: 'svc/demo-small@1', messages, max_tokens: 8 });
    await eventually(async () => (await rowsOf(page).count()) === 2, { timeoutMs: 45_000 });
  });

  it('gives all of it as CSV that no spreadsheet takes for a formula', async () => {
    const { page } = await usagePageOf(buyer.signer, '?outcome=served');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^usage-20\d\d-\d\d-\d\d\.csv$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(REQUESTS + 1);
    expect(lines[0]).toMatch(
      /^request_id,created_at,key_id,model,.*outcome,first_token_ms,total_ms,reason,error_code$/,
    );
    for (const cell of lines.slice(1).flatMap((line) => line.split(',')))
      expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });

  it('tells who has used nothing how to begin', async () => {
    const { page } = await browser.visit();
    await signIn(page, await stranger(market));
    const letGo = await holdBack(page, '**/portal/api/usage?limit=1');
    await openPortal(page, '/usage');
    await page.getByRole('region', { name: 'Requests', exact: true }).getByLabel('Loading').waitFor();
    // Of other times nothing is said before it is known whether there is anything.
    expect(await page.getByText('No such requests').count()).toBe(0);
    letGo();
    await page.getByText('No requests yet').waitFor();
    await page.getByRole('link', { name: 'Try the playground' }).waitFor();
    await screenshot(page, 'usage-empty');
    await expectAccessible(page);
  });

  it('says what could not be loaded, and tries again', async () => {
    const { page, complaints } = await usagePageOf(buyer.signer);
    complaints.expect(/status of 503/);
    await page.route(/\/portal\/api\/usage/, (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: JSON.stringify({
          error: { code: 'no_capacity', message: 'Billing does not answer.', param: null },
        }),
      }),
    );
    await page.reload();
    await page.getByText('Your usage could not be loaded').waitFor();
    await page.getByText('The requests could not be loaded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await page.getByText('The file could not be made').waitFor();
    await page.unroute(/\/portal\/api\/usage/);
    // It also comes back by itself, as soon as something is asked anew: then there is no button any more.
    const again = page.getByRole('button', { name: 'Try again' }).first();
    await eventually(
      async () => {
        // Gone while it is clicked: better still.
        await again.click({ timeout: 500 }).catch(() => undefined);
        return (await rowsOf(page).count()) === REQUESTS;
      },
      { timeoutMs: 45_000 },
    );
    await page.getByText('Your usage could not be loaded').waitFor({ state: 'hidden' });
  });
});

describe('with 100,000 requests', () => {
  const ROWS = 100_000;
  let signer: Wallet;

  beforeAll(async () => {
    signer = await stranger(market);
    await seedUsage(market, signer.address.toLowerCase(), ROWS);
  });

  it('every page is as long as any, there and back', async () => {
    const { page } = await usagePageOf(signer, '?range=1y');
    const first = await rowsOf(page).first().getByRole('link').getAttribute('href');
    await page.getByText('Page 1', { exact: true }).waitFor();
    for (const number of [2, 3, 4]) {
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText(`Page ${number}`, { exact: true }).waitFor();
      await settled(page);
      expect(await rowsOf(page).count()).toBe(25);
    }
    for (const number of [3, 2, 1]) {
      await page.getByRole('button', { name: 'Previous' }).click();
      await page.getByText(`Page ${number}`, { exact: true }).waitFor();
      await settled(page);
    }
    // Until it is there, the page before it is shown.
    await eventually(
      async () => (await rowsOf(page).first().getByRole('link').getAttribute('href')) === first,
    );
    await screenshot(page, 'usage-100000');
  });

  it('a second click while a page is on its way goes no page further', async () => {
    const { page } = await usagePageOf(signer, '?range=1y');
    await page.getByText('Page 1', { exact: true }).waitFor();
    const letGo = await holdBack(page, /\/portal\/api\/usage\?.*cursor=/);
    await page.getByRole('button', { name: 'Next' }).dblclick();
    letGo();
    await settled(page);
    await page.getByText('Page 2', { exact: true }).waitFor();
  });

  it('going back, and a reload, come to the same page of the list', async () => {
    const { page } = await usagePageOf(signer, '?range=1y');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2', { exact: true }).waitFor();
    await settled(page);
    // In sight, where the button is: nothing is scrolled before it is followed.
    const link = rowsOf(page).last().getByRole('link');
    const href = await link.getAttribute('href');
    const isThere = async () => (await link.getAttribute('href')) === href;
    const place = await page.evaluate<number>('scrollY');
    expect(place).toBeGreaterThan(0);
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
    await page.goBack();
    await page.getByText('Page 2', { exact: true }).waitFor();
    await eventually(isThere);
    // On the page too, which is longer than the one that was left.
    await eventually(async () => (await page.evaluate('scrollY')) === place);
    await page.reload();
    await page.getByText('Page 2', { exact: true }).waitFor();
    await eventually(isThere);
    await page.getByRole('link', { name: 'Skip to the page' }).press('Enter');
    await focusOn(page.locator('#page'));
    await page.getByText('Page 2', { exact: true }).waitFor();
    await page.getByRole('radiogroup', { name: 'Split by' }).getByText('Key').click();
    await page.waitForURL(/by=key/);
    await page.getByText('Page 2', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Not served' }).click();
    await page.getByText('Page 1', { exact: true }).waitFor();
  });

  it('another wallet that signs in there begins at the first page of its own', async () => {
    const { page, context } = await browser.visit();
    const wallet = await InjectedWallet.install(context, signer);
    await openPortal(page, '/usage?range=1y');
    const enter = page.getByRole('button', { name: 'Test Wallet' });
    await enter.click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2', { exact: true }).waitFor();
    await settled(page);
    await page.getByRole('button', { name: 'Account and appearance' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await wallet.switchAccount(buyer.signer);
    await enter.click();
    await eventually(async () => (await rowsOf(page).count()) === REQUESTS);
  });

  it('what failed is found among them', async () => {
    const { page } = await usagePageOf(signer, '?range=1y');
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Not served' }).click();
    await page.waitForURL(/outcome=unserved/);
    await page.getByText('No capacity').nth(24).waitFor();
    expect(await rowsOf(page).count()).toBe(25);
    expect(await page.getByText('Served late, free').count()).toBe(0);
  });

  it('charts stay as small: the six largest keys, and all others together', async () => {
    const { page } = await usagePageOf(signer, '?range=1y&by=key');
    const legend = page.getByRole('region', { name: 'Requests served' }).getByRole('listitem');
    await legend.nth(6).waitFor();
    expect(await legend.count()).toBe(7);
    expect(await legend.last().textContent()).toBe('All others');
    const reply = await page.request.get(portalUrl('/api/usage/summary?by=key&from=2024-01-01T00:00:00Z'));
    expect((await reply.body()).length).toBeLessThan(50_000);
    const { totals } = (await reply.json()) as { totals: { requests: number; errors: number } };
    expect(totals.requests + totals.errors).toBe(ROWS);
  });

  it('the CSV has all of them, each once', async () => {
    const { page } = await usagePageOf(signer);
    const reply = await page.request.get(portalUrl('/api/usage.csv'), { timeout: 120_000 });
    const ids = (await reply.text())
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(0, line.indexOf(',')));
    expect([ids.length, new Set(ids).size]).toEqual([ROWS, ROWS]);
  });
});

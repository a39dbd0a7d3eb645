import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import type { Wallet } from 'ethers';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import {
  openPortal,
  portalUrl,
  refuseUntilTriedAgain,
  screenshot,
  settled,
  usePortalBrowser,
} from './browser';
import type { VisitOptions } from './browser';
import { customer, stranger } from './customer';
import type { Customer } from './customer';
import { seedUsage } from './seeded-usage';
import { signIn } from './sign-in';

const run = promisify(execFile);
const SECRET = 'a prompt that nobody keeps';
const browser = usePortalBrowser();
let market: Marketplace;
let buyer: Customer;
let requestId: string;
let answer: string;

beforeAll(async () => {
  market = await Marketplace.connect();
  buyer = await customer(market);
  const { data, response } = await market
    .client({ apiKey: buyer.apiKey })
    .chat.completions.create({
      model: 'svc/demo-small@1',
      messages: [{ role: 'user', content: SECRET }],
      max_tokens: 40,
    })
    .withResponse();
  requestId = response.headers.get('x-svc-request-id') ?? '';
  answer = data.choices[0]?.message.content ?? '';
});
afterAll(() => market.close());

async function requestPageOf(signer: Wallet, id: string, look: VisitOptions = {}) {
  const visitor = await browser.visit(look);
  await signIn(visitor.page, signer);
  await openPortal(visitor.page, `/usage/${id}`);
  await settled(visitor.page);
  return visitor;
}

interface Detail {
  charged_usdc: string;
  prompt_tokens: number;
  completion_tokens: number;
  input_price_per_mtok: string;
  output_price_per_mtok: string;
}

describe('a request’s page', () => {
  it('shows the sum so that it can be checked by hand', async () => {
    const { page } = await requestPageOf(buyer.signer, requestId);
    const reply = await page.request.get(portalUrl(`/api/usage/${requestId}`));
    const detail = (await reply.json()) as Detail;
    const sum =
      BigInt(detail.prompt_tokens) * BigInt(detail.input_price_per_mtok) +
      BigInt(detail.completion_tokens) * BigInt(detail.output_price_per_mtok);
    const cost = page.getByRole('region', { name: 'Cost' });
    await cost.getByText(sum.toLocaleString('en'), { exact: true }).waitFor();
    await cost.getByText(`= ${detail.charged_usdc}`).waitFor();
    await cost.getByText('Held: the most it could cost').waitFor();
    await page.getByRole('region', { name: 'Times' }).getByText('To the first token').waitFor();
    // Who served, and why that one.
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('Served', { exact: true }).waitFor();
    await attempts
      .getByText(/base units at most/)
      .first()
      .waitFor();
    await expectAccessible(page);
  });

  it('never has what was asked or answered', async () => {
    const { page } = await requestPageOf(buyer.signer, requestId);
    await page.getByText('the prompt and the completion were never kept').waitFor();
    const all = [
      await page.content(),
      await (await page.request.get(portalUrl(`/api/usage/${requestId}`))).text(),
    ];
    expect(answer).not.toBe('');
    for (const text of all) for (const words of [SECRET, answer]) expect(text).not.toContain(words);
  });

  it('follows the charge onto the chain, to a receipt that the tool takes', async () => {
    const { page } = await requestPageOf(buyer.signer, requestId);
    const onChain = page.getByRole('region', { name: 'On chain' });
    // The page asks by itself while the batch is on its way.
    await onChain.getByText('Settled', { exact: true }).first().waitFor({ timeout: 90_000 });
    await onChain.getByText('Transaction').waitFor();
    await page.getByText(`npm run verify-receipt -- receipt-${requestId}.json`).waitFor({ timeout: 60_000 });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('region', { name: 'Receipt', exact: true })
        .getByRole('button', { name: 'Download' })
        .click(),
    ]);
    expect(download.suggestedFilename()).toBe(`receipt-${requestId}.json`);
    const { chainRpc, settlement } = market.ready;
    const tool = join(workspaceRoot, 'tools/verify-receipt.mjs');
    const verified = await run(process.execPath, [
      tool,
      await download.path(),
      '--rpc',
      chainRpc,
      '--contract',
      settlement,
    ]);
    expect(verified.stdout).toContain(requestId);
    await screenshot(page, 'request-settled');
    await onChain.getByRole('link').first().click();
    await page.waitForURL(/\/settlements\/0x/);
  });

  it('that nobody served says why, and that it was free', async () => {
    const signer = await stranger(market);
    await seedUsage(market, signer.address.toLowerCase(), 50);
    const { page } = await requestPageOf(signer, 'req_s000000050', { theme: 'dark' });
    await page.getByText('No provider of the plan could take it. Nothing was charged.').waitFor();
    await page.getByText('Nobody served it, so it cost nothing.').waitFor();
    const attempts = page.getByRole('region', { name: 'Attempts' });
    expect(await attempts.getByText(/No first token in time|Was busy/).count()).toBe(2);
    await page.getByText('Nothing to settle').waitFor();
    await screenshot(page, 'request-unserved');
    await expectAccessible(page);
  });

  it('of another wallet, or of none, is not there', async () => {
    const { page, complaints } = await requestPageOf(await stranger(market), requestId);
    complaints.expect(/status of 404/);
    await page.getByText('There is no such request').waitFor();
    await expectAccessible(page);
    await openPortal(page, '/usage/req_%3Cimg%20src=x%3E');
    await page.getByText('There is no such request').waitFor();
    await page.getByRole('link', { name: 'To all usage' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  });

  it('that could not be loaded is asked for again', async () => {
    const { page, complaints } = await requestPageOf(buyer.signer, requestId);
    complaints.expect(/status of 503/);
    await refuseUntilTriedAgain(page, /\/portal\/api\/usage\/req_/, {
      status: 503,
      json: { error: { code: 'no_capacity', message: 'Billing does not answer.', param: null } },
    });
    await page.reload();
    await page.getByText('The request could not be loaded').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Cost' }).waitFor();
  });

  it.each([
    ['light', 390],
    ['dark', 390],
    ['dark', 1280],
  ] as const)('in %s, %i px wide, is accessible and fits', async (theme, width) => {
    const { page } = await requestPageOf(buyer.signer, requestId, { theme, width });
    await page.getByRole('region', { name: 'Receipt', exact: true }).waitFor();
    await expectAccessible(page);
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate<number>(sideways)).toBe(0);
    await screenshot(page, `request-${theme}-${width}`);
  });

  it('is reached from the list, also by keyboard', async () => {
    const { page } = await requestPageOf(buyer.signer, requestId);
    await openPortal(page, '/usage');
    const link = page.getByRole('region', { name: 'The requests' }).getByRole('link').first();
    await eventually(() => link.isVisible());
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
    await page.getByText(requestId, { exact: true }).waitFor();
  });
});

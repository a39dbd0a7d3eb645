import type { Page } from 'playwright-core';
import { CERTIFIED_WITHIN_MS } from '../stack/supplier';
import { openPortal } from './browser';

/** What somebody fills the form of an offer with; build and profile are always defined anew. */
interface OfferEntries {
  model: string;
  endpoint: string;
  upstreamModel: string;
  /** USDC per million tokens. */
  inputPrice: string;
  outputPrice: string;
}

/** Registers the wallet that is signed in, on the page. */
export async function registerOnPage(page: Page, name: string, contact = ''): Promise<void> {
  await openPortal(page, '/provide');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Contact').fill(contact);
  await page.getByRole('button', { name: 'Sign and register' }).click();
  await page.getByRole('tab', { name: 'Earnings' }).waitFor();
}

/** Fills the form of a new offer, and does not sign it. */
export async function fillOffer(page: Page, entries: OfferEntries): Promise<void> {
  await openPortal(page, '/provide/offers/new');
  await page.getByRole('combobox', { name: 'Model', exact: true }).click();
  await page.getByRole('option', { name: entries.model }).click();
  await page.getByText('Define a build').click();
  await page.getByLabel('Weights').fill('sha256:e2e');
  await page.getByLabel('Quantisation').fill('none');
  await page.getByLabel('Engine').fill('e2e');
  await page.getByText('Define a profile').click();
  await page.getByLabel('Hardware').fill('cpu');
  await page.getByRole('region', { name: 'Profile' }).getByLabel('Context, tokens').fill('8192');
  await page.getByLabel('Endpoint').fill(entries.endpoint);
  await page.getByLabel('Model’s name on your server').fill(entries.upstreamModel);
  await page.getByLabel('Input, USDC').fill(entries.inputPrice);
  await page.getByLabel('Output, USDC').fill(entries.outputPrice);
  const limits = page.getByRole('region', { name: 'Limits' });
  await limits.getByLabel('Requests at once').fill('2');
  await limits.getByLabel('Context, tokens').fill('4096');
}

/** Signs the form that is filled in; ready when the offer's own page is there. */
export async function signOffer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign and send the offer' }).click();
  await page.getByRole('heading', { level: 2, name: 'Certification' }).waitFor();
}

/** Waits on the offer's page until its certification is over. @returns how it ended */
export async function untilCertified(page: Page): Promise<'passed' | 'refused'> {
  const report = page.getByRole('region', { name: 'Certification' });
  const ended = report.getByText(/Version \d+: (passed|refused)\./);
  await ended.waitFor({ timeout: CERTIFIED_WITHIN_MS });
  return (await ended.textContent())?.includes('passed') ? 'passed' : 'refused';
}

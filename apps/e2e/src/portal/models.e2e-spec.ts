import { eventually } from '@svc/testing';
import type { Page } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import {
  copiedBy,
  openPortal,
  portalUrl,
  refuseUntilTriedAgain,
  settled,
  slowDown,
  usePortalBrowser,
} from './browser';

const EVIL = '<img src=x onerror="window.broken=1"> </script>';

const browser = usePortalBrowser();
let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

/** The names of the models that the list shows. */
const listed = (page: Page) => page.getByRole('main').locator('tbody a').allTextContents();

/** Waits until the list shows such models: it follows the filters a moment later. */
const untilListed = (page: Page, isSo: (names: string[]) => boolean) =>
  eventually(async () => {
    const names = await listed(page);
    if (!isSo(names)) throw new Error(`listed: ${names.join(', ')}`);
    return names;
  });
const untilOnly = (page: Page, name: string) => untilListed(page, (names) => names.join() === name);

interface ShownModel {
  id: string;
  live_offers?: number;
  svc: { pricing?: object; tool_contract?: object; capabilities: { workload: string } };
}

/** The market as it is, with other words in it. */
async function withMarket(page: Page, change: (models: ShownModel[]) => ShownModel[]): Promise<void> {
  await page.route('**/portal/api/market', async (route) => {
    const reply = await route.fetch();
    const { data, ...rest } = (await reply.json()) as { data: ShownModel[] };
    await route.fulfill({ response: reply, json: { ...rest, data: change(data) } });
  });
}

describe('the models', () => {
  it('are shown to anybody, and searched, filtered and put in order', async () => {
    const { page } = await browser.visit();
    await openPortal(page, '/models');
    await page.getByRole('link', { name: 'svc/demo-small@1' }).waitFor();
    await untilListed(page, (names) => names.includes('svc/demo-small@1') && names.includes('svc/cortex@1'));
    await page.getByRole('searchbox', { name: 'Search' }).fill('demo-l');
    await untilOnly(page, 'svc/demo-large@1');
    await page.getByRole('searchbox', { name: 'Search' }).fill('demo');
    await page.getByText('Tools', { exact: true }).click();
    const withTools = await untilListed(
      page,
      (names) => names.length > 1 && !names.includes('svc/demo-text@1'),
    );
    expect(withTools.slice(0, 2)).toEqual(['svc/demo-small@1', 'svc/demo-large@1']);
    await page.getByRole('textbox', { name: 'Highest price' }).fill('0.2');
    await untilOnly(page, 'svc/demo-small@1');
    // The address has them, so the view can be shared and gone back to.
    await page.waitForURL(/\?q=demo&can=tools&max_price=200000$/);
    await page.reload();
    await page.getByRole('link', { name: 'svc/demo-small@1' }).waitFor();
    await untilOnly(page, 'svc/demo-small@1');
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing is called so');
    await page.getByRole('heading', { name: 'No model fits' }).waitFor();
    await expectAccessible(page);
    const highest = page.getByRole('textbox', { name: 'Highest price' });
    await highest.fill('cheap');
    await page.getByText('An amount such as 0.50').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('link', { name: 'svc/demo-text@1' }).waitFor();
    expect(await highest.inputValue()).toBe('');
  });

  it('are filtered again as they were when one goes back, and the fields say so', async () => {
    const { page } = await browser.visit();
    await openPortal(page, '/models?max_price=500000');
    const highest = page.getByRole('textbox', { name: 'Highest price' });
    expect(await highest.inputValue()).toBe('0.50');
    await page.getByRole('link', { name: 'Models' }).first().click();
    await eventually(async () => (await highest.inputValue()) === '');
    await highest.fill('0.25');
    await page.waitForURL('**/models?max_price=250000');
    await page.goBack();
    await eventually(async () => (await highest.inputValue()) === '0.50');
  });

  it('are all shown after their link in the menu, also where the page has not come to what was typed yet', async () => {
    const { page } = await browser.visit();
    await slowDown(page);
    await openPortal(page, '/models');
    await settled(page);
    const search = page.getByRole('searchbox', { name: 'Search' });
    await page.evaluate(`document.querySelector('input[type="search"]').addEventListener('input', () => {
      setTimeout(() => document.querySelector('nav a[href$="/models"]').click());
    })`);
    await search.fill('nothing is called so');
    await eventually(async () => (await search.inputValue()) === '');
    expect(page.url()).toBe(portalUrl('/models'));
  });

  it('each have a page with offers, health, contract and code that works', async () => {
    await market.client().chat.completions.create({
      ...{ model: 'svc/demo-small@1', max_tokens: 8 },
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const { page } = await browser.visit();
    await openPortal(page, '/models');
    await page.getByRole('link', { name: 'svc/demo-small@1' }).click();
    await page.getByRole('heading', { level: 1, name: 'svc/demo-small@1' }).waitFor();
    await page.getByText('provider-demo-1').filter({ visible: true }).first().waitFor();
    await page.getByText('Strict schemas').waitFor();
    const report = page.getByRole('link', { name: 'Report' }).filter({ visible: true }).first();
    const certification = await fetch(new URL((await report.getAttribute('href')) ?? '', page.url()));
    expect(await certification.json()).toMatchObject({ status: 'passed', model: 'svc/demo-small@1' });
    await expectAccessible(page);

    const code = await copiedBy(page.getByRole('button', { name: 'Copy curl code' }));
    expect(code).toContain(`curl ${market.ready.gateway}/v1/chat/completions`);
    const body = JSON.parse(/-d '([\s\S]*)'$/.exec(code)?.[1] ?? '') as object;
    expect((await market.post(body)).status).toBe(200);
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('from openai import OpenAI').waitFor();
  });

  it('say which candidates the routing model has', async () => {
    const { page } = await browser.visit();
    await openPortal(page, '/models/svc/cortex@1');
    await page.getByRole('heading', { name: 'Candidates' }).waitFor();
    await page.getByRole('link', { name: 'svc/demo-large@1' }).click();
    await page.getByRole('heading', { level: 1, name: 'svc/demo-large@1' }).waitFor();
  });

  it('say when nobody serves them, and what is not for chat', async () => {
    const { page } = await browser.visit();
    await withMarket(page, (models) =>
      models.map((model) => {
        const svc = { ...model.svc, pricing: undefined };
        if (model.id === 'svc/demo-small@1') return { ...model, live_offers: 0, svc };
        if (model.id !== 'svc/demo-text@1') return model;
        return { ...model, svc: { ...svc, capabilities: { ...svc.capabilities, workload: 'embedding' } } };
      }),
    );
    await openPortal(page, '/models');
    // Other specs leave models behind whose providers are gone.
    const row = page.getByRole('row').filter({ hasText: 'svc/demo-small@1' });
    await row.getByText('No live offers').waitFor();
    await page.locator('tbody').getByText('Embeddings', { exact: true }).waitFor();
    await openPortal(page, '/models/svc/demo-small@1');
    await page.getByText('Nobody serves it now').waitFor();
    await settled(page);
    await expectAccessible(page);
    await openPortal(page, '/models/svc/demo-text@1');
    await page.getByText('This is an embedding model').waitFor();
    expect(await page.getByRole('link', { name: 'Try it' }).count()).toBe(0);
    await openPortal(page, '/models/svc/none@1');
    await page.getByRole('heading', { name: 'There is no such model' }).waitFor();
    await expectAccessible(page);
  });

  it('page through many offers, whose providers’ words are text', async () => {
    const { page } = await browser.visit();
    const offsets: string[] = [];
    await page.route('**/portal/api/market/offers?*', async (route) => {
      const { searchParams } = new URL(route.request().url());
      const offset = Number(searchParams.get('offset'));
      offsets.push(String(offset));
      const reply = await route.fetch({
        url: route
          .request()
          .url()
          .replace(/offset=\d+/, 'offset=0'),
      });
      const { data, ...rest } = (await reply.json()) as { data: { offer_id: string }[] };
      const json = {
        ...{ ...rest, live_offers: 60 },
        data: data.map((offer) => ({
          ...{ ...offer, offer_id: `${offer.offer_id}${offset}`, provider_name: `${EVIL} ${offset}` },
          ...{ engine: EVIL, certification_id: '../../evil"onclick=' },
        })),
      };
      await route.fulfill({ response: reply, json });
    });
    await openPortal(page, '/models/svc/demo-small@1');
    await page.getByText(`${EVIL} 0`).first().waitFor();
    await page.getByText('1–25 of 60').waitFor();
    expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(`${EVIL} 25`).first().waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–60 of 60').waitFor();
    await page.getByText(`${EVIL} 50`).first().waitFor();
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    expect(offsets).toEqual(expect.arrayContaining(['0', '25', '50']));
    expect(await page.evaluate('window.broken')).toBeUndefined();
    const href = await page
      .getByRole('link', { name: 'Report' })
      .filter({ visible: true })
      .first()
      .getAttribute('href');
    expect(href).toBe('/v1/certifications/..%2F..%2Fevil%22onclick%3D');
  });

  it('are printed without the frame, whose header would lie on every sheet', async () => {
    const { page } = await browser.visit();
    await openPortal(page, '/models');
    const slow = "document.querySelector('main').style.setProperty('--app-shell-transition-duration', '60s')";
    await page.evaluate(slow);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('banner').waitFor({ state: 'hidden' });
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'hidden' });
    const padding = "getComputedStyle(document.querySelector('main')).padding";
    expect(await page.evaluate<string>(padding)).toBe('0px');
  });

  it('say why nothing is known of their health while the catalogue is away', async () => {
    const { page } = await browser.visit();
    const title = page.getByText('Health and number of offers are not known now');
    await openPortal(page, '/models');
    await page.getByRole('link', { name: 'svc/demo-small@1' }).waitFor();
    expect(await title.count()).toBe(0);
    await withMarket(page, (models) =>
      models.map((model) => ({ ...model, live_offers: undefined, health: {} })),
    );
    await openPortal(page, '/models');
    await title.waitFor();
    await page.getByRole('link', { name: 'svc/demo-small@1' }).waitFor();
    await expectAccessible(page);
  });

  it('say when they cannot be loaded, and try again', async () => {
    const { page } = await browser.visit({ expected: [/status of 503/] });
    const error = {
      ...{ code: 'no_capacity', message: 'The market is being read; try again.' },
      ...{ type: 'server_error', param: null },
    };
    await refuseUntilTriedAgain(page, '**/portal/api/market', { status: 503, json: { error } });
    await openPortal(page, '/models');
    await page.getByText('The models could not be loaded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'svc/demo-small@1' }).waitFor();
  });
});

import { settlementAt } from '@svc/contracts-evm';
import { eventually } from '@svc/testing';
import type { Wallet } from 'ethers';
import type { APIRequestContext, Page } from 'playwright-core';
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
import { customer, stranger } from './customer';
import { signIn } from './sign-in';

const REQUESTS = 4;
const SETTLED_WITHIN_MS = 90_000;

const browser = usePortalBrowser();
let market: Marketplace;
let buyer: Wallet;

beforeAll(async () => {
  market = await Marketplace.connect();
  ({ signer: buyer } = await customer(market, { requests: REQUESTS }));
});
afterAll(() => market.close());

interface Listed {
  settlements: {
    id: string;
    state: string;
    tx_hash: string;
    own: { receipts: number; pulled_usdc: string };
  }[];
}

async function pageOf(
  signer: Wallet,
  look: { theme?: 'light' | 'dark'; width?: 1280 | 390 } = {},
): Promise<Page> {
  const { page } = await browser.visit(look);
  await signIn(page, signer);
  return page;
}

const listed = async (request: APIRequestContext) =>
  (await (await request.get(portalUrl('/api/settlements'))).json()) as Listed;

/** Waits until all that the buyer bought is settled. */
async function untilSettled(request: APIRequestContext): Promise<Listed['settlements']> {
  return eventually(
    async () => {
      const { settlements } = await listed(request);
      const receipts = settlements
        .filter(({ state }) => state === 'settled')
        .reduce((sum, { own }) => sum + own.receipts, 0);
      if (receipts < REQUESTS) throw new Error(`${receipts} receipts are settled`);
      return settlements;
    },
    { timeoutMs: SETTLED_WITHIN_MS },
  );
}

describe('the settlements page', () => {
  it('lists what the chain collected, and leads to each receipt', async () => {
    const page = await pageOf(buyer);
    const [newest] = await untilSettled(page.request);
    if (!newest) throw new Error('nothing was settled');
    const chain = await market.connectChain();
    try {
      // The transaction is the one that the chain has, and its root the one that the contract keeps.
      const receipt = await chain.getTransactionReceipt(newest.tx_hash);
      expect(receipt?.to?.toLowerCase()).toBe(market.ready.settlement.toLowerCase());
      const shown = (await (await page.request.get(portalUrl(`/api/settlements/${newest.id}`))).json()) as {
        root: string;
      };
      expect(await settlementAt(market.ready.settlement, chain).batchRoot(newest.id)).toBe(shown.root);
    } finally {
      chain.destroy();
    }
    await openPortal(page, '/settlements');
    await page.getByRole('row').nth(1).getByText('Settled').waitFor();
    await settled(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'How what you owe is collected' }).click();
    await page.getByText('the chain does not show it yet').waitFor();
    await expectAccessible(page);

    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Settlement', exact: true }).waitFor();
    await page.getByText('Your receipts in it').waitFor();
    const receipts = page.getByRole('link', { name: /^Request req_/ });
    await eventually(async () => (await receipts.count()) === newest.own.receipts);
    await page.getByText('ETH, paid by the marketplace').waitFor();
    await expectAccessible(page);
    await page
      .getByRole('link', { name: /^Request req_/ })
      .first()
      .click();
    // The address is ahead of the page, which is left only once the code of the other has come.
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Settlement', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Settlements' }).first().click();
    await page.getByRole('heading', { name: 'Settlements', exact: true }).waitFor();
  });

  it('says what would stand there before anything was collected', async () => {
    const page = await pageOf(await stranger(market));
    await openPortal(page, '/settlements');
    await page.getByText('Nothing was collected yet').waitFor();
    await settled(page);
    await expectAccessible(page);
    await screenshot(page, 'settlements-empty');
  });

  it('shows another wallet nothing of a batch that it has no line in', async () => {
    const page = await pageOf(buyer);
    const [newest] = await untilSettled(page.request);
    const { page: other, complaints } = await browser.visit();
    complaints.expect(/status of 404/);
    await signIn(other, await stranger(market));
    expect(await listed(other.request)).toEqual({ settlements: [], next: null });
    const reply = await other.request.get(portalUrl(`/api/settlements/${newest?.id ?? ''}`));
    expect(reply.status()).toBe(404);
    await openPortal(other, `/settlements/${newest?.id ?? ''}`);
    await other.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });

  it('says when they cannot be read, and reads them again', async () => {
    const { page, complaints } = await browser.visit();
    complaints.expect(/status of 503/);
    await signIn(page, buyer);
    await refuseUntilTriedAgain(page, '**/portal/api/settlements?*', {
      status: 503,
      json: { error: { message: 'A part is away.', code: 'no_capacity' } },
    });
    await openPortal(page, '/settlements');
    await page.getByText('Your settlements could not be loaded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').waitFor();
  });

  it('explains each state, and what could not be collected', async () => {
    const page = await pageOf(buyer);
    const [newest] = await untilSettled(page.request);
    const url = portalUrl(`/api/settlements/${newest?.id ?? ''}`);
    const shown = (await (await page.request.get(url)).json()) as { own: object };
    let change: object = {};
    await page.route(`${url}?*`, (route) => route.fulfill({ json: { ...shown, ...change } }));
    const open = { settled_at: null, gas_cost_wei: null };
    for (const [state, words] of [
      [{ state: 'signed', ...open, tx_hash: null, transactions: [] }, 'signed and on its way'],
      [{ state: 'mined', ...open }, 'some more blocks make it final'],
      [{ own: { ...shown.own, failed: true, pulled_usdc: '0.000000' } }, 'nothing is charged twice'],
      [
        { collected: [], own: { ...shown.own, receipts: 0, payer_root: `0x${'0'.repeat(64)}` } },
        'asks again for what',
      ],
    ] as const) {
      change = state;
      await openPortal(page, `/settlements/${newest?.id ?? ''}`);
      await page.getByText(words).first().waitFor();
      await expectAccessible(page);
    }
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('fits in %s, %d px wide', async (theme, width) => {
    const page = await pageOf(buyer, { theme, width });
    const [newest] = await untilSettled(page.request);
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    for (const [name, path] of [
      ['settlements', '/settlements'],
      ['settlement', `/settlements/${newest?.id ?? ''}`],
    ] as const) {
      await openPortal(page, path);
      await settled(page);
      await page.getByRole('table').first().waitFor();
      await screenshot(page, `${name}-${theme}-${width}`);
      await expectAccessible(page);
      expect(await page.evaluate<number>(sideways)).toBe(0);
    }
  });
});

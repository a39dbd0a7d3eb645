import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@svc/testing';
import { HonestProvider } from '../honest-provider/honest-provider';
import { Marketplace } from '../stack/marketplace';
import { CERTIFIED_WITHIN_MS } from '../stack/supplier';
import type { ProviderReply } from '../stack/supplier';
import { expectAccessible } from './accessibility';
import {
  focusOn,
  openPortal,
  portalUrl,
  refuseUntilTriedAgain,
  screenshot,
  settled,
  slowDown,
  usePortalBrowser,
} from './browser';
import type { VisitOptions, Visitor } from './browser';
import { stranger } from './customer';
import { InjectedWallet } from './injected-wallet';
import { fillOffer, registerOnPage, signOffer, untilCertified } from './providing';
import { signIn } from './sign-in';

const TERMS = '**/portal/api/offers/*/terms';
const EVIL = '<img src=x onerror="window.owned = true">';

const browser = usePortalBrowser();
const honest = new HonestProvider();
let broken: Server;
let busy: Server;
let market: Marketplace;
let model: string;

beforeAll(async () => {
  market = await Marketplace.connect();
  model = await market.models.define(`portal-${Date.now()}`);
  await honest.start();
  // What it says stands in the report, which is public.
  broken = createServer((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error: EVIL }));
  });
  busy = createServer((_request, response) => response.writeHead(429, { 'retry-after': '7' }).end());
  for (const server of [broken, busy])
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
});
afterAll(async () => {
  await honest.stop();
  broken.close();
  busy.close();
  await market.close();
});

interface Seller extends Visitor {
  wallet: InjectedWallet;
  address: string;
}

/** Somebody with a wallet in their browser who is signed in. */
async function seller(options: VisitOptions = {}): Promise<Seller> {
  const visitor = await browser.visit(options);
  const signer = await stranger(market);
  const wallet = await InjectedWallet.install(visitor.context, signer);
  await signIn(visitor.page, signer);
  // The page asks the wallet only where it was connected before.
  await visitor.context.addInitScript(
    `localStorage.setItem('svc-wallet', JSON.stringify('example.test.wallet'))`,
  );
  return { ...visitor, wallet, address: signer.address };
}

const entries = (changes: Partial<Parameters<typeof fillOffer>[1]> = {}) => ({
  ...{ model, endpoint: honest.url, upstreamModel: 'test-model', inputPrice: '0.1', outputPrice: '0.41' },
  ...changes,
});

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

/** The public report on a wallet's only offer, as it was when it said why a test is put off; it says so for a while. */
function reportOfPutOff(address: string): Promise<string> {
  const { gateway } = market.ready;
  return eventually(
    async () => {
      const provider = await fetch(`${gateway}/v1/providers/${address}`);
      const { offers } = (await provider.json()) as ProviderReply;
      const id = offers[0]?.certification?.certification_id;
      if (id === undefined) return undefined;
      const report = await (await fetch(`${gateway}/v1/certifications/${id}`)).text();
      return report.includes('It is tried again.') ? report : undefined;
    },
    { timeoutMs: CERTIFIED_WITHIN_MS, intervalMs: 100 },
  );
}

describe('the provider’s page', () => {
  it('says why a test is put off while its server is busy', async () => {
    const { page, address } = await seller();
    await registerOnPage(page, 'Busy Compute');
    await fillOffer(page, entries({ endpoint: urlOf(busy) }));
    const putOff = reportOfPutOff(address);
    // It lasts some seconds, and what is looked at may take longer.
    await page.route('**/v1/certifications/*', async (route) =>
      route.fulfill({ contentType: 'application/json', body: await putOff }),
    );
    await signOffer(page);
    const answers = page.getByRole('button', { name: /^Answers/ });
    await answers.getByText('too many requests').waitFor();
    await answers.getByText('Tried again soon').waitFor();
    await expectAccessible(page);
    await answers.click();
    await page.getByRole('region', { name: 'Reply 1' }).getByText('429').first().waitFor();
  });

  it('leads from registration through certification to a live offer, its price and its end', async () => {
    const { page, wallet } = await seller();
    await openPortal(page, '/provide');
    await settled(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign and register' }).click();
    await page.getByText('Give a name.').waitFor();
    await page.getByLabel('Name').fill('n'.repeat(81));
    await page.getByRole('button', { name: 'Sign and register' }).click();
    await page.getByText('At most 80 characters; these are 81.').waitFor();
    await registerOnPage(page, 'Example Compute', 'ops@example.com');
    expect(wallet.asked).toEqual(['eth_signTypedData_v4']);
    await page.getByText('No offer yet').waitFor();
    await expectAccessible(page);

    await fillOffer(page, entries());
    await expectAccessible(page);
    await signOffer(page);
    expect(await untilCertified(page)).toBe('passed');
    await page.getByText('Certified', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Answers/ }).click();
    await page.getByRole('region', { name: 'Reply 1' }).first().waitFor();
    await settled(page);
    await expectAccessible(page);
    await screenshot(page, 'provide-certified');

    await page.getByRole('link', { name: 'All offers' }).click();
    await page.getByRole('button', { name: `Change the offer of ${model}` }).click();
    await page.getByRole('menuitem', { name: 'Change price' }).click();
    await page.getByLabel('Output, USDC').fill('0.35');
    await page.getByRole('button', { name: 'Sign the price' }).click();
    await page.getByText('0.35 out').waitFor();
    await page.getByText('version 2', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await focusOn(page.getByRole('button', { name: `Change the offer of ${model}` }));

    await page.getByRole('button', { name: `Change the offer of ${model}` }).click();
    await page.getByRole('menuitem', { name: 'Withdraw' }).click();
    wallet.mood = 'thinks';
    await page.getByRole('button', { name: 'Sign the withdrawal' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByRole('dialog').getByText('You stopped waiting for your wallet').waitFor();
    wallet.mood = 'rejects';
    await page.getByRole('button', { name: 'Sign the withdrawal' }).click();
    await page.getByRole('dialog').getByText('You declined in your wallet').waitFor();
    wallet.mood = 'agrees';
    await page.getByRole('button', { name: 'Sign the withdrawal' }).click();
    await page.getByText('No offer on the market').waitFor();
    await focusOn(page.getByRole('heading', { level: 1 }));
    await page.getByRole('button', { name: 'Show 1 withdrawn' }).click();
    await page.getByText('Withdrawn', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'New offer' }).waitFor();
  });

  it('waits no longer than one likes for a wallet that does not answer, and takes no answer after that', async () => {
    const { page, wallet } = await seller();
    await registerOnPage(page, 'Patient');
    await page.getByRole('tab', { name: 'Name and contact' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Renamed');
    wallet.mood = 'thinks';
    await page.getByRole('button', { name: 'Sign the change' }).click();
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByText('You stopped waiting for your wallet').waitFor();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(String(request.postData())));
    // The first one answers now, and nobody waits for it any more.
    wallet.mood = 'agrees';
    await page.getByRole('textbox', { name: 'Name' }).fill('Renamed again');
    await page.getByRole('button', { name: 'Sign the change' }).click();
    await page.getByText('You sell as Renamed again.').waitFor();
    expect(wallet.asked).toHaveLength(3);
    expect(sent).toEqual([expect.stringContaining('Renamed again')]);
  });

  it.each(['Cancel', 'Provide'])(
    'sends no offer that was left by %s while the wallet was asked',
    async (link) => {
      const { page, wallet } = await seller();
      await registerOnPage(page, 'Wavering');
      await fillOffer(page, entries());
      wallet.mood = 'thinks';
      await page.getByRole('button', { name: 'Sign and send the offer' }).click();
      await eventually(() => wallet.asked.length === 2);
      await page.getByRole('link', { name: link, exact: true }).click();
      await page.getByText('No offer yet').waitFor();
      wallet.mood = 'agrees';
      // What is signed later is answered later.
      await page.getByRole('tab', { name: 'Name and contact' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Sure');
      await page.getByRole('button', { name: 'Sign the change' }).click();
      await page.getByText('You sell as Sure.').waitFor();
      await page.getByRole('tab', { name: 'Offers' }).click();
      await page.getByText('No offer yet').waitFor();
    },
  );

  it('says at the field what is missing, and what the market refuses', async () => {
    const { page, wallet, complaints } = await seller();
    complaints.expect(/status of 400/);
    await registerOnPage(page, 'Example');
    await openPortal(page, '/provide/offers/new');
    await page.getByRole('button', { name: 'Sign and send the offer' }).click();
    await page.getByText('Choose the model that you serve.').waitFor();
    await page.getByText('Give the base URL of your server').waitFor();
    await expectAccessible(page);
    expect(wallet.asked).toHaveLength(1);
    await fillOffer(page, entries({ endpoint: 'http://user:secret@127.0.0.1:1/v1' }));
    await page.getByRole('button', { name: 'Sign and send the offer' }).click();
    await page.locator('[data-field="endpoint"][aria-invalid="true"]').waitFor();
    const focused = `document.activeElement?.getAttribute('data-field') === 'endpoint'`;
    await eventually(() => page.evaluate<boolean>(focused));
    expect(wallet.asked).toHaveLength(2);
  });

  it('says when known builds and profiles cannot be read, and not that there are none', async () => {
    const { page, complaints } = await seller();
    complaints.expect(/status of 500/);
    await registerOnPage(page, 'Example');
    await page.route(/api\/builds/, (route) => route.fulfill({ status: 500 }));
    await openPortal(page, '/provide/offers/new');
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('combobox', { name: 'Model' }).fill(model);
    await page.getByRole('option', { name: model }).click();
    await page.getByText('The builds could not be loaded.').waitFor();
    await page.getByText('The profiles could not be loaded.').waitFor();
  });

  it('tells a refusal in plain words, with what came; a provider’s words stay text', async () => {
    const { page } = await seller();
    await registerOnPage(page, EVIL);
    await page.getByText(`You sell as ${EVIL}`).waitFor();
    await fillOffer(page, entries({ endpoint: urlOf(broken) }));
    await signOffer(page);
    expect(await untilCertified(page)).toBe('refused');
    await page.getByText('Refused by the test “Answers”').waitFor();
    await page.getByRole('alert').getByText('See that the endpoint ends in /v1').waitFor();
    await page.getByRole('button', { name: /^Answers/ }).click();
    await page.getByRole('region', { name: 'Reply 1' }).first().waitFor();
    await settled(page);
    await expectAccessible(page);
    expect(await page.evaluate('window.owned')).toBeUndefined();
    await page.getByRole('link', { name: 'All offers' }).click();
    await page.getByText('Refused', { exact: true }).waitFor();
    await screenshot(page, 'provide-refused');
  });

  it('makes another version of what was signed, and keeps the token that nobody is shown', async () => {
    const { page, wallet } = await seller({ expected: [/status of 500/] });
    await registerOnPage(page, 'Example');
    await fillOffer(page, entries());
    await page.getByLabel('Token', { exact: true }).fill('sk-secret-of-mine');
    await signOffer(page);
    expect(await untilCertified(page)).toBe('passed');
    await page.getByRole('button', { name: `Change the offer of ${model}` }).click();
    await page.getByRole('menuitem', { name: 'New version' }).click();
    await page.getByText('One is kept, encrypted.').waitFor();
    // It is the market's terms that are asked for again, not what was signed.
    await refuseUntilTriedAgain(page, '**/v1/supply/terms', { status: 500 });
    await page.reload();
    await page.getByText('The market’s terms could not be loaded').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('One is kept, encrypted.').waitFor();
    expect(await page.getByLabel('Endpoint').inputValue()).toBe(honest.url);
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('');
    expect(await page.content()).not.toContain('sk-secret-of-mine');
    await settled(page);
    await expectAccessible(page);
    await page.getByRole('combobox', { name: 'Good for' }).click();
    await page.getByRole('option', { name: '30 days' }).click();
    // What was signed is read again after another sign-in, and cannot be: what is filled in stays.
    await page.route(TERMS, (route) => route.fulfill({ status: 500 }));
    const isRefused = page.waitForResponse(TERMS);
    await page.evaluate(
      `new BroadcastChannel('svc-sign-ins').postMessage('${wallet.address.toLowerCase()}')`,
    );
    await isRefused;
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    await page.unroute(TERMS);
    await page.getByRole('button', { name: 'Sign and send the offer' }).click();
    // Another end needs no other certification.
    await page.getByRole('note').getByText('Signed. The offer is live.').waitFor();
    await page.getByText('version 2', { exact: true }).waitFor();
  });
});

const earned = {
  provider: '0x',
  lines: [2, 1].flatMap((day) =>
    ['svc/a@1', 'svc/b@1'].map((name) => ({
      time: `${new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`,
      model: name,
      ...{ requests: 1_234, prompt_tokens: 56_789, completion_tokens: 9_876, credited_usdc: '1234.500001' },
    })),
  ),
  totals: {
    requests: 4_936,
    prompt_tokens: 227_156,
    completion_tokens: 39_504,
    credited_usdc: '4938.000004',
  },
  account: {
    ...{ credited_usdc: '4938.000004', released_usdc: '2000.000000', paid_out_usdc: '500.000000' },
    payable_usdc: '1500.000000',
  },
  share_bps: 9_000,
  claim: null,
  next: null,
};

describe('earnings', () => {
  it.each([
    { theme: 'light', width: 1280 },
    { theme: 'dark', width: 390 },
  ] as const)('are shown as a chart and as a table, in $theme, $width px wide', async (look) => {
    const { page } = await seller(look);
    await registerOnPage(page, 'Example');
    await page.route('**/portal/api/earnings?*', (route) => route.fulfill({ json: earned }));
    await openPortal(page, '/provide/earnings');
    await page.locator('.recharts-bar-rectangle path').first().waitFor();
    const table = page.getByRole('region', { name: 'Earnings by day and model' });
    expect(await table.getByRole('row').count()).toBe(5);
    await table.getByText('1,234.500001').first().waitFor();
    await page.getByText('of all times; your share is 90 % of each charge').waitFor();
    await page.getByText('Nothing can be claimed yet.').waitFor();
    await settled(page);
    await expectAccessible(page);
    await screenshot(page, `provide-earnings-${look.theme}-${look.width}`);
  });

  it('are shown by 50 lines, the newest first', async () => {
    const { page } = await seller();
    await registerOnPage(page, 'Example');
    const [line] = earned.lines;
    const lines = Array.from({ length: 120 }, (_, at) => ({ ...line, model: `svc/m${at}@1` }));
    await page.route('**/portal/api/earnings?*', (route) => route.fulfill({ json: { ...earned, lines } }));
    await openPortal(page, '/provide/earnings');
    const rows = page.getByRole('region', { name: 'Earnings by day and model' }).locator('tbody tr');
    await page.getByText('Page 1 of 3').waitFor();
    expect(await rows.count()).toBe(50);
    expect(await rows.first().textContent()).toContain('svc/m119@1');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 3 of 3').first().waitFor();
    expect(await rows.count()).toBe(20);
    await slowDown(page);
    await page.reload();
    await page.getByText('Page 3 of 3').first().waitFor();
    // Another time begins with its newest.
    await page.getByText('7 days').click();
    await page.getByText('Page 1 of 3').first().waitFor();
    await page.goBack();
    await page.getByText('Page 3 of 3').first().waitFor();
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
  });

  it('say that the last days are left out where there are more lines than can be shown', async () => {
    const { page } = await seller();
    await registerOnPage(page, 'Example');
    await page.route('**/portal/api/earnings?*', (route) =>
      route.fulfill({ json: { ...earned, next: 'there is always more' } }),
    );
    await openPortal(page, '/provide/earnings');
    await page.getByText('the last days are left out').waitFor();
  });

  it('fit a small phone, however much they are', async () => {
    const { page } = await seller();
    await registerOnPage(page, 'Example');
    const much = '123456789012345678901234567890.123456';
    const account = { ...earned.account, credited_usdc: much };
    const totals = { ...earned.totals, credited_usdc: much };
    await page.route('**/portal/api/earnings?*', (route) =>
      route.fulfill({ json: { ...earned, account, totals } }),
    );
    await page.setViewportSize({ width: 320, height: 640 });
    await openPortal(page, '/provide/earnings');
    await page.getByText('123,456,789').first().waitFor();
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate<number>(sideways)).toBe(0);
  });

  it('say that there are none, and when they cannot be read', async () => {
    const { page, complaints } = await seller();
    complaints.expect(/status of 503/);
    await registerOnPage(page, 'Example');
    await page.getByRole('tab', { name: 'Earnings' }).click();
    await page.getByText('Nothing earned in these days').waitFor();
    await settled(page);
    await expectAccessible(page);
    await refuseUntilTriedAgain(page, '**/portal/api/earnings?*', {
      status: 503,
      json: { error: { message: 'A part is away.', code: 'no_capacity' } },
    });
    await page.reload();
    await page.getByText('Your earnings could not be loaded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing earned in these days').waitFor();
  });

  it('cannot be claimed before the payout is on the chain, nor against the owner’s will', async () => {
    const { page, wallet } = await seller();
    await registerOnPage(page, 'Example');
    const claim = {
      ...{ chain_id: 31_337, contract: market.ready.settlement, provider: wallet.address.toLowerCase() },
      ...{ cumulative: '2000000000', proof: [`0x${'11'.repeat(32)}`], root: `0x${'22'.repeat(32)}` },
      ...{ state: 'signed', published_at: new Date().toISOString() },
      ...{ claimable_usdc: '1500.000000', paid_usdc: '500.000000' },
    };
    await page.route('**/portal/api/earnings?*', (route) => route.fulfill({ json: { ...earned, claim } }));
    await page.getByRole('tab', { name: 'Earnings' }).click();
    await page.getByText('The payout is signed and not on the chain yet.').waitFor();
    const button = page.getByRole('button', { name: 'Claim' });
    expect(await button.isDisabled()).toBe(true);
    claim.state = 'settled';
    await page.reload();
    await page.getByText('1,500.00 USDC can be claimed').waitFor();
    wallet.mood = 'rejects';
    await button.click();
    await page.getByText('You declined in your wallet').waitFor();
    await settled(page);
    await expectAccessible(page);
    // The page sends to no other contract than this marketplace's, whatever it is told.
    wallet.mood = 'agrees';
    claim.contract = `0x${'66'.repeat(20)}`;
    await page.reload();
    await button.click();
    await page.getByText('The payout is of another contract').waitFor();
    expect(wallet.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1);
  });

  it('are asked for once: a claim that runs is there again when one comes back', async () => {
    const { page, wallet } = await seller();
    await registerOnPage(page, 'Example');
    const claim = {
      ...{ chain_id: 31_337, contract: market.ready.settlement, provider: wallet.address.toLowerCase() },
      ...{ cumulative: '2000000000', proof: [`0x${'11'.repeat(32)}`], root: `0x${'22'.repeat(32)}` },
      ...{ state: 'settled', published_at: new Date().toISOString() },
      ...{ claimable_usdc: '1500.000000', paid_usdc: '500.000000' },
    };
    await page.route('**/portal/api/earnings?*', (route) => route.fulfill({ json: { ...earned, claim } }));
    await page.getByRole('tab', { name: 'Earnings' }).click();
    wallet.mood = 'thinks';
    const button = page.getByRole('button', { name: 'Claim' });
    await button.click();
    await eventually(() => wallet.asked.includes('eth_sendTransaction'));
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await page.goBack();
    await page.getByText('1,500.00 USDC can be claimed').waitFor();
    expect(await button.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByRole('alert').getByText('what you confirm is sent all the same').waitFor();
    expect(await button.isEnabled()).toBe(true);
  });

  it('are no other wallet’s', async () => {
    const { page } = await seller();
    const refused = await page.request.get(portalUrl(`/api/earnings?provider=${market.ready.wallet}`));
    expect([refused.status(), await refused.json()]).toMatchObject([400, { error: { param: 'provider' } }]);
    const reply = await page.request.get(portalUrl('/api/earnings'));
    expect(await reply.json()).toMatchObject({ account: { credited_usdc: '0.000000' } });
    const terms = await page.request.get(portalUrl('/api/offers/ofr_0123456789abcdef0123456789abcdef/terms'));
    expect(terms.status()).toBe(404);
  });
});

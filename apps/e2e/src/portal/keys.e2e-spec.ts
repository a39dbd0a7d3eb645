import type { Wallet } from 'ethers';
import type { Page } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import {
  copiedBy,
  focusOn,
  holdBack,
  openPortal,
  portalUrl,
  refuseUntilTriedAgain,
  screenshot,
  settled,
  slowDown,
  usePortalBrowser,
} from './browser';
import { customer, stranger } from './customer';
import { signIn } from './sign-in';

const browser = usePortalBrowser();
let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

const hence = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

const KEY = {
  ...{ id: 'key_1', object: 'key', name: 'Website', last_four: 'a1B2', wallet: '0x', state: 'active' },
  ...{ purpose: 'api', created_at: hence(-90_000), last_used_at: hence(-120), previous_expires_at: null },
  ...{ budget: null, spent_usdc: '0.000000', held_usdc: '0.000000', spendable_usdc: '1.000000' },
};
const monthly = (cap_usdc: string) => ({ cap_usdc, reset: 'monthly', resets_at: hence(800_000) });

/** One of each kind. */
const KEYS = [
  {
    ...KEY,
    ...{ budget: monthly('10.000000'), spent_usdc: '2.500000', held_usdc: '0.400000' },
    previous_expires_at: hence(7_200),
  },
  { ...KEY, id: 'key_2', name: 'Nightly job', budget: monthly('50.000000'), spent_usdc: '44.120000' },
  { ...KEY, id: 'key_3', name: 'Trial', budget: monthly('1.000000'), spent_usdc: '1.000000' },
  { ...KEY, id: 'key_4', name: 'Old laptop', state: 'disabled', last_used_at: null },
  { ...KEY, id: 'key_5', name: 'Playground', purpose: 'playground', last_four: '(pg)' },
  { ...KEY, id: 'key_6', name: 'Leaked', state: 'revoked' },
];

interface Look {
  theme?: 'light' | 'dark';
  width?: 1280 | 390;
  isSlow?: boolean;
}

async function keysPageOf(signer: Wallet, { isSlow = false, ...look }: Look = {}) {
  const visitor = await browser.visit(look);
  if (isSlow) await slowDown(visitor.page);
  const session = await signIn(visitor.page, signer);
  await openPortal(visitor.page, '/keys');
  await settled(visitor.page);
  return { ...visitor, session };
}

async function createKey(page: Page, name: string, cap?: string): Promise<string> {
  await page
    .getByRole('button', { name: /^Create/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  if (cap !== undefined) await dialog.getByLabel('Spending limit').fill(cap);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  return takeValue(page);
}

/** Reads the value that a dialog shows, says that it is saved, and closes it. */
async function takeValue(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  const value = (await dialog.getByTestId('copy-API-key').textContent()) ?? '';
  await dialog.getByLabel('I have saved this key').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return value;
}

async function act(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** The status that `GET /v1/key` has for a value. */
async function statusOf(apiKey: string): Promise<number> {
  const reply = await fetch(`${market.ready.gateway}/v1/key`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return reply.status;
}

describe('the keys page', () => {
  it('leads from nothing to a key that works, and tells its value once', async () => {
    const { page } = await keysPageOf(await stranger(market));
    await page.getByText('No API key yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create your first key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Give the key a name, so that you know it later.').waitFor();
    await dialog.getByLabel('Name').fill('My laptop');
    await dialog.getByLabel('Spending limit').fill('nothing');
    await dialog.getByText('Write an amount above 0').waitFor();
    await dialog.getByLabel('Spending limit').fill('2.50');
    await dialog.getByLabel('Starts anew').selectOption('monthly');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create key' }).dblclick();

    const shown = page.getByRole('dialog', { name: 'Your new API key' });
    const value = (await shown.getByTestId('copy-API-key').textContent()) ?? '';
    expect(value).toMatch(/^svc_test_[0-9A-Za-z]{49}$/);
    await expectAccessible(page);
    // Neither a key nor a click beside it closes it unsaved.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await shown.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    expect(await copiedBy(shown.getByRole('button', { name: 'Copy API key' }))).toBe(value);
    await takeValue(page);
    expect(await statusOf(value)).toBe(200);

    await page.getByText(`…${value.slice(-4)}`).waitFor();
    await page.getByText('0.00 of 2.50').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    // It is nowhere any more.
    expect(await page.content()).not.toContain(value);
    expect(
      await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'),
    ).not.toContain(value);
    const listed = await page.request.get(portalUrl('/api/keys'));
    expect(await listed.text()).not.toContain(value);
  });

  it('stays while a key is being made, however slow the browser is: its value would be shown to nobody', async () => {
    const { page } = await keysPageOf(await stranger(market), { isSlow: true });
    const letGo = await holdBack(page, '**/portal/api/keys', 'POST');
    await page.getByRole('button', { name: 'Create your first key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Slow');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true);
    letGo();
    expect(await statusOf(await takeValue(page))).toBe(200);
  });

  it('stays with its value when one goes back, until it is said that it is saved', async () => {
    const { page } = await keysPageOf(await stranger(market));
    await page.getByRole('link', { name: 'Usage' }).first().click();
    // A page that is left before its code has come leaves no step to go back to.
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByRole('button', { name: 'Create your first key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Kept');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByTestId('copy-API-key').waitFor();
    await page.goBack();
    await dialog.getByText('The key would be lost.').waitFor();
    expect(await statusOf(await takeValue(page))).toBe(200);
    // From within: seen from outside, the browser may still be on its way back from the step that "Done" ended.
    await page.evaluate('history.back()');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  });

  it('says when the browser lets nothing be copied, as on plain http', async () => {
    const { page } = await keysPageOf(await stranger(market));
    await page.evaluate('delete Navigator.prototype.clipboard');
    await page.getByRole('button', { name: 'Create your first key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Not copied');
    await page.getByRole('button', { name: 'Create key' }).last().click();
    await page.getByRole('button', { name: 'Copy API key' }).click();
    await page.getByRole('alert').getByText('Not copied').waitFor();
    expect(await page.getByText('API key copied').count()).toBe(0);
    await takeValue(page);
  });

  it('shows names as text, whatever they hold', async () => {
    const { page } = await keysPageOf(await stranger(market));
    const name = `<img src=x onerror="document.title='owned'"> {{7*7}} ${'long '.repeat(4)}end`;
    await createKey(page, name);
    await page.getByText(name, { exact: true }).waitFor();
    await act(page, name, 'Revoke');
    await page.getByLabel(`Type ${name} to confirm`).waitFor();
    expect(await page.title()).toBe('API keys · svc');
    expect(await page.locator('main img, [role=dialog] img').count()).toBe(0);
  });

  it('changes, stops and starts a key', async () => {
    const { signer, apiKey } = await customer(market, { requests: 2 });
    const { page, complaints } = await keysPageOf(signer);
    complaints.expect(/status of 400/);
    await act(page, 'e2e', 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    await dialog.getByLabel('Name').fill('renamed');
    await dialog.getByLabel('Spending limit').fill('0.000001');
    await dialog.getByRole('button', { name: 'Save' }).click();
    // The refusal stands at the field.
    await dialog.getByText(/below what the key holds/).waitFor();
    await dialog.getByLabel('Spending limit').fill('1,000');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    // What went well is said when those who listen are free to hear it.
    await page.getByRole('status').getByText('The key is changed.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('of 1,000.00').waitFor();

    await act(page, 'renamed', 'Disable');
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(await statusOf(apiKey)).toBe(401);
    await act(page, 'renamed', 'Enable');
    await page.getByText('Disabled', { exact: true }).waitFor({ state: 'hidden' });
    expect(await statusOf(apiKey)).toBe(200);

    await act(page, 'renamed', 'Edit');
    await dialog.getByLabel('Spending limit').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('of 1,000.00').waitFor({ state: 'hidden' });
  });

  it('leaves alone what an edit did not touch: the limit may have been lowered elsewhere meanwhile', async () => {
    const { signer } = await customer(market);
    const wallet = signer.address.toLowerCase();
    const [key] = await market.keys(wallet);
    const keyId = key?.keyId ?? '';
    await market.updateKey({ wallet, keyId, budgetCap: '50000000', budgetReset: 'daily' });
    const { page } = await keysPageOf(signer);
    await act(page, 'e2e', 'Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit key' });
    await dialog.getByLabel('Name').fill('renamed');
    await market.updateKey({ wallet, keyId, budgetCap: '5000000' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('of 5.00').waitFor();
    expect(await market.keys(wallet)).toMatchObject([
      { name: 'renamed', budgetCap: '5000000', budgetReset: 'daily' },
    ]);
  });

  it('rotates a key: the old value works on for as long as was said', async () => {
    const { signer, apiKey: first } = await customer(market);
    const { page } = await keysPageOf(signer);
    await act(page, 'e2e', 'Rotate');
    const dialog = page.getByRole('dialog', { name: 'Rotate key' });
    await dialog.getByLabel('The old value').selectOption('86400');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByText('The old value works for another day').waitFor();
    const second = await takeValue(page);
    await page.getByText('old value works until').waitFor();
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);

    await act(page, 'e2e', 'Rotate');
    await dialog.getByLabel('The old value').selectOption('0');
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    const third = await takeValue(page);
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 401, 200]);
  });

  it('revokes a key, once its name is typed', async () => {
    const { signer, apiKey } = await customer(market, { requests: 1 });
    const { page } = await keysPageOf(signer);
    await act(page, 'e2e', 'Revoke');
    const dialog = page.getByRole('dialog', { name: 'Revoke this key for good?' });
    await dialog.getByText(/It was last used/).waitFor();
    await expectAccessible(page);
    const revoke = dialog.getByRole('button', { name: 'Revoke key' });
    expect(await revoke.isDisabled()).toBe(true);
    await dialog.getByLabel('Type e2e to confirm').fill('e2e');
    await revoke.click();
    await page.getByText('No key in use').waitFor();
    expect(await statusOf(apiKey)).toBe(401);
    await page.getByText('Revoked (1)').click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Actions for e2e' }).count()).toBe(0);
    await expectAccessible(page);
  });

  it('revokes a key whose name holds more blanks than a page shows', async () => {
    const { page } = await keysPageOf(await stranger(market));
    await createKey(page, 'Two  blanks');
    await act(page, 'Two blanks', 'Revoke');
    await page.getByLabel('Type Two blanks to confirm').fill('Two blanks');
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('No key in use').waitFor();
  });

  it('offers a value for the first request only while it works', async () => {
    const { page } = await keysPageOf((await customer(market)).signer);
    const offered = page.getByTestId('copy-API-key');
    const go = (title: string) => page.getByRole('navigation').getByRole('link', { name: title }).click();
    const created = await createKey(page, 'fresh');
    await go('Overview');
    expect(await offered.textContent()).toBe(created);
    await go('API keys');
    await act(page, 'fresh', 'Rotate');
    await page.getByRole('dialog').getByLabel('The old value').selectOption('0');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
    const rotated = await takeValue(page);
    await go('Overview');
    expect(await offered.textContent()).toBe(rotated);
    await go('API keys');
    await act(page, 'fresh', 'Revoke');
    await page.getByLabel('Type fresh to confirm').fill('fresh');
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await go('Overview');
    await page.getByText('Put your key where it says').waitFor();
    expect(await offered.count()).toBe(0);
  });

  it('works by keyboard, and the focus comes back to where it was', async () => {
    const { page } = await keysPageOf((await customer(market)).signer);
    const create = page.getByRole('button', { name: 'Create key' });
    const name = page.getByRole('dialog').getByLabel('Name');
    await create.focus();
    await page.keyboard.press('Enter');
    await focusOn(name);
    await page.keyboard.type('typed');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await focusOn(create);

    await page.keyboard.press('Enter');
    await focusOn(name);
    // The form before is forgotten.
    expect(await name.inputValue()).toBe('');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    const copy = page.getByRole('button', { name: 'Copy API key' });
    // What comes in place of the form takes the focus from it.
    await focusOn(page.locator('.key-value-step'));
    await page.keyboard.press('Tab');
    await focusOn(copy);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await focusOn(create);

    const actions = page.getByRole('button', { name: 'Actions for By keyboard' });
    await actions.focus();
    await page.keyboard.press('Enter');
    const edit = page.getByRole('menuitem', { name: 'Edit' });
    await edit.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await edit.press('Enter');
    await focusOn(name);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await focusOn(actions);
  });

  it.each(['on its button', 'in its menu'])(
    'gives the focus to the heading when the row goes that has it %s',
    async (place) => {
      const { signer } = await customer(market);
      const { page } = await keysPageOf(signer);
      const second = await createKey(page, 'second');
      // Where the dialog gives it back to.
      await focusOn(page.getByRole('button', { name: 'Create key' }));
      await page.getByRole('button', { name: 'Actions for e2e' }).focus();
      if (place === 'in its menu') {
        await page.keyboard.press('Enter');
        await page.getByRole('menuitem', { name: 'Rotate' }).focus();
      }
      const elsewhere = (await keysPageOf(signer)).page;
      await act(elsewhere, 'e2e', 'Revoke');
      await elsewhere.getByLabel('Type e2e to confirm').fill('e2e');
      await elsewhere.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
      await elsewhere.getByText('Revoked (1)').waitFor();
      // What makes the first page read its keys again.
      await market.client({ apiKey: second }).chat.completions.create({
        model: 'svc/demo-small@1',
        messages: [{ role: 'user', content: 'Hello.' }],
      });
      await focusOn(page.getByRole('heading', { level: 1 }));
      await page.getByText('Revoked (1)').waitFor();
    },
  );

  describe('of a wallet with as many as it may have', () => {
    const MANY = Array.from({ length: 100 }, (_, index) => ({
      ...KEY,
      ...{ id: `key_${index}`, name: `Worker ${index}`, last_four: `w${String(index).padStart(3, '0')}` },
    }));
    const OLD = { ...KEY, id: 'key_old', name: 'Laptop of old', last_four: 'oLd1', state: 'revoked' };

    async function many() {
      const { page } = await browser.visit();
      await signIn(page, await stranger(market));
      await page.route('**/portal/api/keys', (route) => route.fulfill({ json: { keys: [...MANY, OLD] } }));
      await openPortal(page, '/keys');
      return { page, search: page.getByRole('searchbox', { name: 'Search keys' }) };
    }
    // Not what is said of it.
    const pageLabel = (page: Page, label: string) => page.getByRole('main').getByText(label);
    const names = (page: Page) => page.getByRole('cell', { name: /^(Worker|Laptop)/ });

    it('keeps its page: a reload stays there, and going back leads to it', async () => {
      const { page } = await many();
      await page.getByRole('button', { name: 'Next' }).click();
      await pageLabel(page, 'Page 2 of 4').waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await pageLabel(page, 'Page 3 of 4').waitFor();
      await page.reload();
      await pageLabel(page, 'Page 3 of 4').waitFor();
      await page.getByText('Worker 50', { exact: true }).waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
      await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
      await page.goBack();
      await pageLabel(page, 'Page 3 of 4').waitFor();
      await page.goBack();
      await pageLabel(page, 'Page 2 of 4').waitFor();
      // Others begin with their first page.
      await page.getByText('Revoked (1)').click();
      await page.getByText('Laptop of old').waitFor();
      await page.goBack();
      await pageLabel(page, 'Page 2 of 4').waitFor();
    });

    it('finds keys by name and by their end, and says how many of how many', async () => {
      const { page, search } = await many();
      await page.getByRole('status').getByText('100 keys', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await search.pressSequentially('WORKER 9');
      await page.getByRole('status').getByText('19 of 100 keys').waitFor();
      expect(await names(page).count()).toBe(19);
      await expectAccessible(page);
      await page.reload();
      await page.getByRole('status').getByText('19 of 100 keys').waitFor();
      expect(await search.inputValue()).toBe('WORKER 9');
      // A step for the page, none for the letters.
      await page.goBack();
      await pageLabel(page, 'Page 1 of 4').waitFor();
      expect(await search.inputValue()).toBe('');

      await search.fill('w042');
      await page.getByRole('status').getByText('1 of 100 keys').waitFor();
      await page.getByText('Worker 42', { exact: true }).waitFor();
      const value = `svc_test_${'x'.repeat(45)}w077`;
      await search.fill(value);
      await page.getByText('Worker 77', { exact: true }).waitFor();
      expect(await search.inputValue()).toBe('w077');
      expect(page.url()).not.toContain('xxx');
    });

    it('says where no key fits, and the way on is one key away', async () => {
      const { page, search } = await many();
      await search.fill('laptop');
      await page.getByText('No such key here').waitFor();
      await page.getByRole('status').getByText('0 of 100 keys').waitFor();
      await page.getByText('Among all your keys one fits.').waitFor();
      await expectAccessible(page);
      await screenshot(page, 'keys-none-fits');
      await page.getByRole('button', { name: 'Search all keys' }).press('Enter');
      await page.getByText('Laptop of old').waitFor();
      await focusOn(search);
      await search.fill('nobody');
      await page.getByText('No such key here').waitFor();
      await page.getByRole('button', { name: 'Clear the search' }).press('Enter');
      await focusOn(search);
      await page.getByRole('status').getByText('101 keys', { exact: true }).waitFor();
      await pageLabel(page, 'Page 1 of 5').waitFor();
    });
  });

  it('says when keys cannot be read, and reads them again', async () => {
    const { signer } = await customer(market);
    const { page, complaints } = await browser.visit();
    complaints.expect(/status of 503/);
    await signIn(page, signer);
    await refuseUntilTriedAgain(page, '**/portal/api/keys', {
      status: 503,
      json: { error: { message: 'A part is away.', code: 'no_capacity' } },
    });
    await openPortal(page, '/keys');
    await page.getByText('Your API keys could not be loaded').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('e2e', { exact: true }).waitFor();
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('shows how each key stands, in %s, %d px wide', async (theme, width) => {
    const { page } = await browser.visit({ theme, width });
    await signIn(page, await stranger(market));
    await page.route('**/portal/api/keys', (route) => route.fulfill({ json: { keys: KEYS } }));
    await openPortal(page, '/keys');
    await page.getByText('Used up. Starts anew').waitFor();
    await page.getByText('Pays for the playground').waitFor();
    await page.getByText('old value works until').waitFor();
    await page.getByText('Revoked (1)').waitFor();
    await screenshot(page, `keys-states-${theme}-${width}`);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Actions for Playground' }).click();
    await page.getByRole('menu').waitFor();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Edit', 'Disable', 'Revoke']);
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByText('The playground stops until you turn it on again.').waitFor();
    await page.keyboard.press('Escape');
    await act(page, 'Website', 'Revoke');
    await page.getByText('Requests under way hold 0.40 USDC. They finish and are charged.').waitFor();
    await page.getByText('Its old value, which still works, stops as well.').waitFor();
    await screenshot(page, `keys-revoke-busy-${theme}-${width}`);
  });

  it('leaves names their room on a small phone, beside the largest amounts', async () => {
    const { page } = await browser.visit({ width: 390 });
    await page.setViewportSize({ width: 360, height: 800 });
    await signIn(page, await stranger(market));
    const rich = { budget: monthly('1000000000.000000'), spent_usdc: '4412012.120001' };
    const keys = [
      { ...KEY, ...rich, name: 'Production' },
      { ...KEY, id: 'key_2', name: 'Trial', spent_usdc: '123456789.123456' },
    ];
    await page.route('**/portal/api/keys', (route) => route.fulfill({ json: { keys } }));
    await openPortal(page, '/keys');
    await page.getByText('1,000,000,000.00').waitFor();
    // Each line of a text is a rectangle.
    const lines = `(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('td .breakable'));
      return range.getClientRects().length;
    })()`;
    expect(await page.evaluate<number>(lines)).toBe(1);
    const beyond = `(() => {
      const region = document.querySelector('[role="region"]');
      return region.scrollWidth - region.clientWidth;
    })()`;
    expect(await page.evaluate<number>(beyond)).toBe(0);
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('fits in %s, %d px wide, with its dialogs', async (theme, width) => {
    const { signer } = await customer(market, { requests: 3 });
    const { page } = await keysPageOf(signer, { theme, width });
    await createKey(page, 'Nightly evaluation of everything, on the big machine', '0.5');
    await createKey(page, 'Website');
    const look = `${theme}-${width}`;
    await settled(page);
    await screenshot(page, `keys-${look}`);
    for (const action of ['Edit', 'Rotate', 'Revoke']) {
      await act(page, 'Website', action);
      await page.getByRole('dialog').waitFor();
      await screenshot(page, `keys-${action.toLowerCase()}-${look}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('x');
    await screenshot(page, `keys-create-${look}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByTestId('copy-API-key').waitFor();
    await screenshot(page, `keys-value-${look}`);
    await expectAccessible(page);
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate<number>(sideways)).toBe(0);
  });
});

describe('the keys of a wallet, asked for by another', () => {
  it('are not there', async () => {
    const { signer: owner, apiKey } = await customer(market);
    const { page } = await browser.visit();
    await signIn(page, owner);
    const { keys } = (await (await page.request.get(portalUrl('/api/keys'))).json()) as {
      keys: { id: string }[];
    };
    const [{ id = '' } = {}] = keys;

    const { page: other } = await browser.visit();
    const { csrf_token } = await signIn(other, await stranger(market));
    const { origin } = new URL(portalUrl());
    const headers = { 'x-svc-csrf': csrf_token, origin };
    const request_token = 'a-token-that-is-long-enough';
    const bodies = new Set<string>();
    for (const target of [id, 'key_doesnotexist']) {
      for (const reply of [
        await other.request.patch(portalUrl(`/api/keys/${target}`), { headers, data: { disabled: true } }),
        await other.request.post(portalUrl(`/api/keys/${target}/revoke`), { headers }),
        await other.request.post(portalUrl(`/api/keys/${target}/rotate`), {
          headers,
          data: { overlap_seconds: 0, request_token },
        }),
      ]) {
        expect(reply.status()).toBe(404);
        bodies.add(await reply.text());
      }
    }
    expect(bodies.size).toBe(1);
    expect(await (await other.request.get(portalUrl('/api/keys'))).json()).toEqual({ keys: [] });
    expect(await statusOf(apiKey)).toBe(200);
  });
});

describe('a request for a key', () => {
  it('makes one key, however often and by how many at once it is sent', async () => {
    const { page } = await browser.visit();
    const { csrf_token } = await signIn(page, await stranger(market));
    const headers = { 'x-svc-csrf': csrf_token, origin: new URL(portalUrl()).origin };
    const data = { name: 'once', request_token: 'sent-again-and-again-1' };
    const send = async () => {
      const reply = await page.request.post(portalUrl('/api/keys'), { headers, data });
      return (await reply.json()) as { value: string };
    };
    const replies = await Promise.all(Array.from({ length: 5 }, send));
    replies.push(await send());
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(await statusOf(replies[0]?.value ?? '')).toBe(200);
    const { keys } = (await (await page.request.get(portalUrl('/api/keys'))).json()) as { keys: object[] };
    expect(keys).toHaveLength(1);
  });
});

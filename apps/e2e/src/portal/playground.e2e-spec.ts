import type { Wallet } from 'ethers';
import type { Page } from 'playwright-core';
import { eventually } from '@svc/testing';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import { copiedBy, focusOn, holdBack, openPortal, usePortalBrowser } from './browser';
import type { VisitOptions } from './browser';
import { customer, stranger } from './customer';
import { signIn } from './sign-in';

const COMPLETIONS = '**/portal/api/playground/chat/completions';

const browser = usePortalBrowser();
let market: Marketplace;
let buyer: Wallet;

beforeAll(async () => {
  market = await Marketplace.connect();
  ({ signer: buyer } = await customer(market));
});
afterAll(() => market.close());

/** The playground, open and ready. */
async function playground(options: VisitOptions = {}, signer = buyer): Promise<Page> {
  const { page } = await browser.visit(options);
  await signIn(page, signer);
  await openPortal(page, '/playground');
  await untilReady(page);
  return page;
}

/** Before the models are known, nothing can be sent. */
const untilReady = (page: Page) =>
  page.getByRole('button', { name: 'Hello!' }).and(page.locator(':enabled')).waitFor();

const composer = (page: Page) => page.getByRole('textbox', { name: 'Your message' });
const replies = (page: Page, state: 'done' | 'stopped' | 'failed' | 'streaming') =>
  page.locator(`[data-testid="reply"][data-state="${state}"]`);
/** Of an amount as the page shows it, which leaves zeros at its end out. */
function baseUnitsIn(shown: string | null): bigint {
  const [, decimals = ''] = /0\.(\d{2,6})\u00a0USDC/.exec(shown ?? '') ?? [];
  expect(decimals).not.toBe('');
  return BigInt(decimals.padEnd(6, '0'));
}
/** What the buyer has been charged once nothing is under way any more: of a reply that was stopped, that comes later. */
async function charged(): Promise<bigint> {
  const position = await eventually(async () => {
    const now = await market.wallet(buyer.address.toLowerCase());
    return now.openHolds === 0 && now;
  });
  return BigInt(position.charged);
}

async function say(page: Page, words: string): Promise<void> {
  await composer(page).fill(words);
  await composer(page).press('Enter');
}

/** Answers completions as a gateway would. */
async function answer(
  page: Page,
  status: number,
  error: object,
  headers: Record<string, string> = {},
): Promise<void> {
  await page.route(COMPLETIONS, (route) =>
    route.fulfill({
      ...{ status, headers: { 'x-svc-request-id': 'req_made_up', ...headers } },
      json: { error: { message: 'It was refused.', type: 'server_error', param: null, ...error } },
    }),
  );
}

/** A stream that is whole from the start, of these words. */
function streamOf(...words: string[]): string {
  return streamOfDeltas(...words.map((content) => ({ content })));
}

function streamOfDeltas(...deltas: object[]): string {
  const chunk = (delta: object, more: object = {}) => ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'svc/demo-small@1' },
    ...{ choices: [{ index: 0, delta, finish_reason: null }], ...more },
  });
  const events = [
    ...deltas.map((delta) => chunk(delta)),
    { ...chunk({}), choices: [], svc: { cost_usdc: '0.000042', provider: `0x${'1'.repeat(40)}` } },
  ];
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
}

const stream = (page: Page, ...words: string[]) =>
  page.route(COMPLETIONS, (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: streamOf(...words),
      headers: { 'x-svc-request-id': 'req_1' },
    }),
  );

describe('the playground', () => {
  it('folds what a model thought above what it says, and sends it back with that', async () => {
    const page = await playground();
    const asked: string[] = [];
    await page.route(COMPLETIONS, (route) => {
      asked.push(route.request().postData() ?? '');
      const thoughts = [{ reasoning_content: 'A greeting.\n' }, { reasoning_content: '<b>Be kind.</b>' }];
      return route.fulfill({
        contentType: 'text/event-stream',
        body: streamOfDeltas(...thoughts, { content: 'Hello to you.' }),
      });
    });
    await say(page, 'Hello!');
    await replies(page, 'done').waitFor();
    const thoughts = page.getByTestId('thoughts');
    expect(await thoughts.innerText()).toBe('Thoughts');
    await expectAccessible(page);
    await thoughts.getByText('Thoughts').click();
    await thoughts.getByText('A greeting.\n<b>Be kind.</b>').waitFor();
    await expectAccessible(page);
    await say(page, 'And?');
    await replies(page, 'done').nth(1).waitFor();
    expect(JSON.parse(asked[1] ?? '{}')).toMatchObject({
      messages: [
        {},
        { role: 'assistant', content: 'Hello to you.', reasoning_content: 'A greeting.\n<b>Be kind.</b>' },
        {},
      ],
    });
  });

  it('streams a reply, says what it cost and who gave it, and leads to the request', async () => {
    const page = await playground();
    const before = await charged();
    await say(page, 'Hello!');
    await replies(page, 'done').waitFor();
    const cost = (await page.getByTestId('reply-cost').textContent()) ?? '';
    expect((await charged()) - before).toBe(baseUnitsIn(cost));
    const facts = page.getByTestId('reply-facts');
    expect(await facts.textContent()).toMatch(/by 0x[0-9a-f]{4}….*first token \d.*tokens/);
    expect(await page.getByTestId('running-total').textContent()).toContain(cost);
    // Prompts are in no address and no storage.
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('Hello');
    await expectAccessible(page);
    await composer(page).fill('What about');
    await facts.getByRole('link', { name: 'Request' }).click();
    await page.waitForURL(/\/portal\/usage\/req_/);
    // The address is ahead of the page, which is left only once the code of the other has come.
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
    await page.getByText('svc/demo-small@1').first().waitFor();
    // Still there after another page, and gone with a reload.
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await replies(page, 'done').waitFor();
    expect(await composer(page).inputValue()).toBe('What about');
    await page.reload();
    await page.getByRole('heading', { name: 'Say something' }).waitFor();
  });

  it('keeps a running total, answers again and takes back words', async () => {
    const page = await playground();
    await say(page, 'One');
    await replies(page, 'done').waitFor();
    await say(page, 'Two');
    await eventually(async () => (await replies(page, 'done').count()) === 2);
    const costs = await page.getByTestId('reply-cost').allTextContents();
    const sum = costs.reduce((total, cost) => total + baseUnitsIn(cost), 0n);
    expect(baseUnitsIn(await page.getByTestId('running-total').textContent())).toBe(sum);
    expect(await page.getByTestId('running-total').textContent()).toContain('2 replies');

    const temperature = page.getByRole('complementary', { name: 'Settings' }).getByLabel('Temperature');
    const again = page.getByRole('button', { name: 'Answer again' }).first();
    await temperature.fill('warm');
    await again.and(page.locator(':disabled')).waitFor();
    await temperature.fill('');
    const asked = page.waitForRequest(COMPLETIONS);
    await again.click();
    expect((await asked).postDataJSON()).toMatchObject({ messages: [{ role: 'user', content: 'One' }] });
    await eventually(async () => (await replies(page, 'done').count()) === 1);
    // Those that it took the place of were paid for all the same.
    const total = page.getByTestId('running-total').filter({ hasText: '3 replies, 2 of them replaced' });
    const cost = baseUnitsIn(await page.getByTestId('reply-cost').textContent());
    expect(baseUnitsIn(await total.textContent())).toBe(sum + cost);

    await page.getByRole('button', { name: 'Edit your message' }).click();
    await page.keyboard.press('Escape');
    // Who goes by keyboard is where the editing began.
    await focusOn(page.getByRole('button', { name: 'Edit your message' }));
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Your message' }).first().fill('Other words');
    await page.getByRole('button', { name: 'Send instead' }).click();
    await page
      .getByText('You wrote “Other words”')
      .or(page.getByText('Other words').nth(1))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Forget the conversation' }).click();
    await page.getByRole('button', { name: 'Forget it' }).click();
    // Nothing is left to forget, so the button that had the focus cannot take it back.
    await focusOn(page.getByRole('heading', { level: 1 }));
    await page.getByRole('heading', { name: 'Say something' }).waitFor();
  });

  it.each(['Esc', 'the button'])('stops with %s; what was written until then is charged', async (way) => {
    // Until the charge is reckoned the request is not known.
    const page = await playground({ expected: [/status of 404.*usage/] });
    const before = await charged();
    await say(page, 'Tell me a story of 600 words.');
    await page
      .getByTestId('reply-text')
      .filter({ hasText: /\w+ \w+/ })
      .waitFor();
    if (way === 'Esc') await page.keyboard.press('Escape');
    // Not by the mouse, which waits until it stands still: it moves down with each line of the reply.
    else await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await replies(page, 'stopped').waitFor();
    await focusOn(composer(page));
    const written = await page.getByTestId('reply-text').textContent();
    expect(written).not.toMatch(/not a language model\.$/);
    const cost = await page.getByTestId('reply-cost').textContent();
    const paid = await charged();
    expect(paid - before).toBe(baseUnitsIn(cost));
    expect(paid > before).toBe(true);
    // It goes on from what there is.
    await say(page, 'Go on.');
    await replies(page, 'done').waitFor();
  });

  it('goes on with a reply while Esc closes something else', async () => {
    const page = await playground();
    await stream(page, 'Yes.');
    await say(page, 'Hello!');
    await replies(page, 'done').waitFor();
    await page.getByRole('button', { name: 'Edit your message' }).click();
    const letGo = await holdBack(page, COMPLETIONS, 'POST');
    await composer(page).last().fill('And?');
    await composer(page).last().press('Enter');
    await replies(page, 'streaming').waitFor();
    await composer(page).first().press('Escape');
    await page.getByRole('complementary', { name: 'Settings' }).getByLabel('Answer format').click();
    const opened = page.getByRole('option').or(page.getByRole('menuitem')).first();
    await opened.waitFor();
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /Account and appearance/ }).click();
    await opened.waitFor();
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'hidden' });
    expect(await replies(page, 'streaming').count()).toBe(1);
    letGo();
    await replies(page, 'done').nth(1).waitFor();
  });

  it('leaves who is in the settings there when the reply ends', async () => {
    const page = await playground();
    let end: () => void = () => undefined;
    const isToEnd = new Promise<void>((resolve) => (end = resolve));
    await page.route(COMPLETIONS, async (route) => {
      await isToEnd;
      await route.fulfill({ contentType: 'text/event-stream', body: streamOf('Yes.') });
    });
    await say(page, 'Hello!');
    const field = page.getByRole('complementary', { name: 'Settings' }).getByLabel('Max tokens');
    await field.focus();
    end();
    await replies(page, 'done').waitFor();
    await page.keyboard.type('64');
    expect(await field.inputValue()).toBe('64');
  });

  it('has tools whose calls are answered by hand', async () => {
    const page = await playground();
    await page.getByRole('button', { name: 'Weather' }).click();
    await say(page, 'What is the weather in Lisbon?');
    await page.getByTestId('tool-call').waitFor();
    expect(await page.getByTestId('tool-call').textContent()).toContain('"city": "Lisbon"');
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Answer of get_weather' }).fill('{"sky":"on fire"}');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByText(/sky is on fire/).waitFor();
    await eventually(async () => (await replies(page, 'done').count()) === 2);
  });

  it('sends the settings, says what is wrong with them, and shows the code of the conversation', async () => {
    const page = await playground();
    const settings = page.getByRole('complementary', { name: 'Settings' });
    await settings.getByLabel('Temperature').fill('warm');
    await page.getByText('A number from 0 to 2').first().waitFor();
    await composer(page).fill('Hello');
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await settings.getByLabel('Temperature').fill('0.5');
    await settings.getByLabel('Top p').fill('0.9');
    await settings.getByLabel('Max tokens').fill('64');
    await settings.getByLabel('Seed').fill('7');
    await settings.getByLabel('System prompt').fill('Be short.');
    await settings.getByLabel('Stop').fill('END');
    await settings.getByLabel('Stop').press('Enter');
    await settings.getByLabel('Answer format').click();
    await page.getByRole('option', { name: 'JSON of a schema' }).click();
    await settings.getByRole('button', { name: 'Use an example' }).click();
    const asked = page.waitForRequest(COMPLETIONS);
    await composer(page).press('Enter');
    const body = (await asked).postDataJSON() as Record<string, unknown>;
    expect(body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello' },
      ],
      ...{ temperature: 0.5, top_p: 0.9, max_tokens: 64, seed: 7, stop: ['END'], stream: true },
      response_format: { type: 'json_schema' },
    });
    await replies(page, 'done').waitFor();
    expect(JSON.parse((await page.getByTestId('reply-text').textContent()) ?? '')).toHaveProperty('tags');

    await page.getByRole('button', { name: 'View code' }).click();
    const code = await copiedBy(page.getByRole('button', { name: 'Copy curl code' }));
    const { messages } = body;
    const shown = JSON.parse(/-d '([\s\S]*)'$/.exec(code)?.[1] ?? '') as { messages: object[] };
    expect(shown).toEqual({ ...body, stream_options: undefined, messages: shown.messages });
    expect(shown.messages.slice(0, 2)).toEqual(messages);
    expect(shown.messages).toHaveLength(3);
    expect((await market.post(shown)).status).toBe(200);
    await expectAccessible(page);
  });

  it('shows replies as text, whatever is in them', async () => {
    const page = await playground();
    const evil =
      '<img src=x onerror="window.broken=1"><script>window.broken=1</script> [a](javascript:broken=1)';
    await stream(page, `**Bold** and \`code\`: ${evil}\n\n`, '```html\n', `${evil}\n`, '```\n');
    await say(page, evil);
    await replies(page, 'done').waitFor();
    const text = page.getByTestId('reply-text');
    expect(await text.locator('img, script, a, iframe').count()).toBe(0);
    expect(await text.locator('strong').textContent()).toBe('Bold');
    expect((await text.textContent()) ?? '').toContain(evil);
    expect(await page.getByTestId('user-text').textContent()).toBe(evil);
    expect(await page.evaluate('window.broken')).toBeUndefined();
  });

  it('begins a line with Shift and Enter, and sends nothing of white space', async () => {
    const page = await playground();
    await stream(page, 'Yes.');
    await composer(page).fill(' ');
    await composer(page).press('Enter');
    await composer(page).fill('a');
    await composer(page).press('Shift+Enter');
    await composer(page).pressSequentially('b');
    expect(await composer(page).inputValue()).toBe('a\nb');
    expect(await replies(page, 'done').count()).toBe(0);
    await composer(page).press('Enter');
    await replies(page, 'done').waitFor();
    expect(await page.getByTestId('user-text').textContent()).toBe('a\nb');
  });

  it('sends nothing by the Enter that takes an input method’s character, as Safari tells of it', async () => {
    const page = await playground();
    await stream(page, 'Yes.');
    await composer(page).fill('nihon');
    const enter = { key: 'Enter', bubbles: true, cancelable: true };
    await composer(page).dispatchEvent('keydown', { ...enter, keyCode: 229 });
    expect(await composer(page).inputValue()).toBe('nihon');
    await composer(page).dispatchEvent('keydown', { ...enter, keyCode: 13 });
    await replies(page, 'done').waitFor();
  });

  it('shows nobody what was said before they signed in', async () => {
    const page = await playground();
    await say(page, 'What nobody else should read');
    await replies(page, 'done').waitFor();
    await page.getByRole('button', { name: /Account and appearance/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: /Buyer/ }).click();
    await page.getByRole('heading', { name: 'Say something' }).waitFor();
    expect(await page.getByText('What nobody else should read').count()).toBe(0);
  });

  it('takes the model of the address', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/playground?model=svc%2Fcortex%401');
    await untilReady(page);
    await say(page, 'Hello!');
    await replies(page, 'done').waitFor();
    expect(await page.getByTestId('reply-facts').textContent()).toMatch(/with svc\/demo-/);
    expect(new URL(page.url()).search).toBe('');
  });

  it('asks no other model than that of the address, where that one is not on the market', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/playground?model=svc%2Fgone%401');
    const field = page
      .getByRole('complementary', { name: 'Settings' })
      .getByRole('combobox', { name: 'Model' });
    await page.getByText('Model: It is not on the market; choose another').first().waitFor();
    expect(await field.inputValue()).toBe('svc/gone@1');
    await field.click();
    await page.getByRole('option', { name: 'svc/demo-small@1' }).click();
    await untilReady(page);
  });

  it('brings nobody back who has gone on before the models are known', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    const letModelsGo = await holdBack(page, '**/v1/models');
    await openPortal(page, '/playground?model=svc%2Fcortex%401');
    expect(await page.getByRole('button', { name: 'View code' }).isDisabled()).toBe(true);
    const letPageGo = await holdBack(page, /\/assets\/usage-page/);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.waitForURL(/\/portal\/usage$/);
    letModelsGo();
    await untilReady(page);
    letPageGo();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/usage$/);
  });

  it('works on a phone, with the settings in a drawer', async () => {
    const page = await playground({ width: 390, theme: 'dark' });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('dialog', { name: 'Settings' }).getByLabel('Max tokens').fill('16');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await say(page, 'Hello!');
    await replies(page, 'done').waitFor();
    await page.getByText('cut off: it reached the longest answer').waitFor();
    await expectAccessible(page);
  });

  it('hides nothing behind what one writes in, however low the window, as at a zoom of 400 %', async () => {
    const page = await playground();
    await page.setViewportSize({ width: 320, height: 256 });
    await page.getByRole('button', { name: 'Hello!' }).click();
    await replies(page, 'done').waitFor();
  });
});

describe('a refusal in the playground', () => {
  it('of a wallet without means says so, and where to get some', async () => {
    const page = await playground({ expected: [/status of 402/] }, await stranger(market));
    await say(page, 'Hello!');
    await replies(page, 'failed').waitFor();
    const note = page.getByTestId('reply-error');
    await note.getByText('insufficient_quota').waitFor();
    await note.getByText(/spendable/).waitFor();
    await expectAccessible(page);
    await note.getByRole('link', { name: 'Approve USDC' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('for want of capacity counts down until it may be tried again', async () => {
    const page = await playground({ expected: [/status of 503/] });
    await answer(page, 503, { code: 'no_capacity' }, { 'retry-after': '9' });
    // It counts on while nobody looks.
    const counts = page.getByRole('button', { name: /Try again in \d s/, disabled: true }).waitFor();
    await Promise.all([counts, say(page, 'Hello!')]);
    // The seconds are not said: an alert is said again whenever it changes.
    expect(await page.getByRole('alert').textContent()).not.toContain('Try again');
    await page.unroute(COMPLETIONS);
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await replies(page, 'done').waitFor();
    expect(await replies(page, 'failed').count()).toBe(0);
  });

  it.each([
    [400, { code: 'feature_not_supported', param: 'tools' }, 'Ask without tools'],
    [404, { code: 'model_not_found', param: 'model' }, 'Choose another model'],
    [403, { code: 'account_suspended' }, 'too low for what you owe'],
    [500, { code: 'internal_error' }, 'not your fault'],
    [502, { code: 'provider_output_invalid' }, 'must not be delivered'],
  ])('with %i says what to do', async (status, error, advice) => {
    const page = await playground({ expected: [new RegExp(`status of ${status}`)] });
    await answer(page, status, error);
    await say(page, 'Hello!');
    await page.getByTestId('reply-error').getByText(error.code).waitFor();
    await page.getByTestId('reply-error').getByText('It was refused.').waitFor();
    await page.getByTestId('reply-error').getByText(advice).waitFor();
  });

  it('before anything was held leads to no usage, of which there is none; afterwards it does', async () => {
    const page = await playground({ expected: [/status of (400|503)/] });
    const facts = page.getByTestId('reply-facts');
    const field = page.getByRole('complementary', { name: 'Settings' }).getByLabel('Max tokens');
    await field.fill('9000000');
    await say(page, 'Hello!');
    await facts.getByText(/^req_\w+$/).waitFor();
    expect(await facts.getByRole('link').count()).toBe(0);
    await field.fill('');
    await answer(page, 503, { code: 'no_capacity' }, { 'x-svc-hold-usdc': '0.000100' });
    await say(page, 'Hello again!');
    await facts.getByRole('link', { name: 'Request' }).waitFor();
  });

  it('in the middle of a stream keeps what was said', async () => {
    const page = await playground();
    const error = {
      message: 'The provider went away.',
      type: 'server_error',
      code: 'internal_error',
      param: null,
    };
    const last = { choices: [], error, svc: { cost_usdc: '0.000000', provider: '' } };
    const body = streamOf('Half a ').replace(
      /data: [^\n]*cost_usdc.*/s,
      `data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`,
    );
    await page.route(COMPLETIONS, (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await say(page, 'Hello!');
    await replies(page, 'failed').getByText('Half a').waitFor();
    await page.getByText('The provider went away.').waitFor();
  });

  it('because its key was revoked offers to turn it on again', async () => {
    const { signer } = await customer(market);
    const page = await playground({ expected: [/status of 409/] }, signer);
    await say(page, 'Hello!');
    await replies(page, 'done').waitFor();
    const wallet = signer.address.toLowerCase();
    const own = (await market.keys(wallet)).find(({ name }) => name === 'Playground');
    expect(own).toMatchObject({ budgetCap: '5000000', budgetReset: 'daily', state: 'active' });
    await market.revokeKey(wallet, own?.keyId ?? '');
    await say(page, 'Again');
    await page.getByRole('button', { name: 'Turn the playground on' }).click();
    await eventually(async () => (await replies(page, 'done').count()) === 2);
    expect((await market.keys(wallet)).filter(({ name }) => name === 'Playground')).toHaveLength(2);
  });
});

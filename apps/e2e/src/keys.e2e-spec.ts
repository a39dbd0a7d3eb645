import { withinOneDay } from '@svc/testing';
import type { APIError } from 'openai';
import { Marketplace } from './stack/marketplace';

let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

const request = {
  model: 'svc/demo-small@1',
  messages: [{ role: 'user' as const, content: 'One word, please.' }],
  max_tokens: 16,
};

async function refusalOf(apiKey: string): Promise<{ status?: number; code?: unknown; message: string }> {
  try {
    await market.client({ apiKey }).chat.completions.create(request);
  } catch (error) {
    const { status, code, message } = error as APIError;
    return { status, code, message };
  }
  throw new Error('the request was served');
}

async function card(apiKey: string): Promise<Record<string, unknown>> {
  const reply = await fetch(`${market.ready.gateway}/v1/key`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return (await reply.json()) as Record<string, unknown>;
}

const serve = (apiKey: string) => market.client({ apiKey }).chat.completions.create(request);

describe('an API key', () => {
  it('spends its budget and no more, and says so', async () => {
    await withinOneDay(async () => {
      const { wallet } = market.ready;
      const { apiKey, keyId } = await market.createKey(wallet, { budgetCap: '60', budgetReset: 'daily' });
      expect(await card(apiKey)).toMatchObject({
        ...{ id: keyId, object: 'key', wallet, spent_usdc: '0.000000', spendable_usdc: '0.000060' },
        budget: { cap_usdc: '0.000060', reset: 'daily' },
      });
      let spent = 0n;
      for (;;) {
        const reply = await serve(apiKey).catch((error: APIError) => {
          expect(error).toMatchObject({ status: 402, code: 'insufficient_quota' });
          expect(error.message).toMatch(/the API key's budget leaves 0\.0000\d\d USDC/);
        });
        if (!reply) break;
        const { svc } = reply as unknown as { svc: { cost_usdc: string } };
        spent += BigInt(svc.cost_usdc.replace('.', ''));
      }
      expect(spent).toBeGreaterThan(0n);
      expect(spent).toBeLessThanOrEqual(60n);
      const after = await card(apiKey);
      expect(BigInt(String(after.spent_usdc).replace('.', ''))).toBe(spent);
      expect(after.held_usdc).toBe('0.000000');

      await market.updateKey({ wallet, keyId, removeBudget: true });
      expect((await serve(apiKey)).object).toBe('chat.completion');
    });
  });

  it('is disabled and enabled, rotated with an overlap, revoked: each from the next request on', async () => {
    const { wallet } = market.ready;
    const { apiKey, keyId } = await market.createKey(wallet);
    const unknown = { status: 401, code: 'invalid_api_key' };
    await market.updateKey({ wallet, keyId, disabled: true });
    expect(await refusalOf(apiKey)).toMatchObject(unknown);
    await market.updateKey({ wallet, keyId, disabled: false });
    await serve(apiKey);

    const renewed = await market.rotateKey(wallet, keyId, 3_600);
    await Promise.all([serve(apiKey), serve(renewed)]);
    expect(await card(renewed)).toMatchObject({ id: keyId, last_four: renewed.slice(-4) });
    const last = await market.rotateKey(wallet, keyId, 0);
    expect(await refusalOf(renewed)).toMatchObject(unknown);
    await serve(last);

    await market.revokeKey(wallet, keyId);
    expect(await refusalOf(last)).toMatchObject(unknown);
    expect(await card(last)).toMatchObject({ error: { code: 'invalid_api_key' } });
  });
});

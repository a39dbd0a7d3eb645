import { billingContracts } from '@svc/contracts';
import type { ReceiptDocument, ShowReceiptRequest } from '@svc/contracts';
import { readReceiptDocument } from '@svc/contracts-evm';
import { noCapacity, notFound } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import { refuseCall } from '@svc/testing';
import { wallet } from '../testing/fake-billing.for-spec';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';

const harness = new GatewayHarness();
const receipts = new Map<string, ReceiptDocument>();
const asked: ShowReceiptRequest[] = [];
const unknown = notFound('There is no such receipt.');
/** What billing says of a receipt that it does not show. */
let refusal: SvcError = unknown;

const known: ReceiptDocument = {
  receipt: {
    type: 'usage',
    id: 'req_1',
    wallet,
    key_id: 'key_1',
    model: 'svc/demo@1',
    provider: `0x${'f'.repeat(40)}`,
    offer_id: 'offer-1',
    input_price_per_mtok: '150000',
    output_price_per_mtok: '600000',
    prompt_tokens: 10,
    completion_tokens: 20,
    token_source: 'provider',
    attempts: 1,
    finish_reason: 'stop',
    held_usdc: '0.000100',
    cost_usdc: '0.000014',
    created_at: '2026-11-21T06:00:00.000000Z',
  },
  settlement: null,
};

beforeAll(async () => {
  await harness.start();
  const billing = (await harness.nats.connectAs('billing')).connection;
  billing.subscribe(billingContracts.showReceipt.subject, {
    queue: 'billing',
    callback: (_error, message) => {
      const request = message.json<ShowReceiptRequest>();
      asked.push(request);
      const document = receipts.get(request.requestId);
      if (document) return void message.respond(JSON.stringify(document));
      refuseCall(message, refusal.payload);
    },
  });
  await billing.flush();
  receipts.set('req_1', known);
});
afterAll(() => harness.stop());
afterEach(() => {
  harness.billing.key = 'ok';
  refusal = unknown;
});

const ask = (id: string, authorization: string | undefined = `Bearer ${harness.apiKey}`) =>
  fetch(`${harness.url}/v1/receipts/${id}`, { headers: authorization === '' ? {} : { authorization } });

describe('GET /v1/receipts/{id}', () => {
  it('shows the document as the verifier takes it', async () => {
    const reply = await ask('req_1');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('x-svc-request-id')).toMatch(/^req_/);
    const document: unknown = await reply.json();
    expect(document).toEqual(known);
    expect(readReceiptDocument(document)).toEqual(known);
    expect(asked.at(-1)).toEqual({
      keyHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      requestId: 'req_1',
    });
  });

  it('has the same words for unknown and malformed ids', async () => {
    const bodies = new Set<string>();
    for (const id of [
      'req_unknown',
      'chatcmpl-1',
      'req_',
      `req_${'x'.repeat(500)}`,
      '%00',
      '..%2fkey',
      "req_1'--",
    ]) {
      const reply = await ask(id);
      expect([id, reply.status]).toEqual([id, 404]);
      bodies.add(await reply.text());
    }
    expect([...bodies].map((body) => JSON.parse(body) as unknown)).toEqual([
      {
        error: {
          message: 'There is no receipt of that request.',
          type: 'invalid_request_error',
          code: 'invalid_request',
          param: 'id',
        },
      },
    ]);
  });

  it('calls no receipt missing while billing cannot tell', async () => {
    refusal = noCapacity('Billing is busy.');
    const reply = await ask('req_2');
    expect([reply.status, await reply.json()]).toMatchObject([503, { error: { code: 'no_capacity' } }]);
  });

  it.each(['req_1', 'malformed'])('wants a key first: %s', async (id) => {
    expect((await ask(id, '')).status).toBe(401);
    expect((await ask(id, 'Bearer svc_test_no')).status).toBe(401);
  });

  it('tells of a suspended account before it tells of the id', async () => {
    harness.billing.key = { code: 'account_suspended', message: 'suspended' };
    expect((await ask('malformed')).status).toBe(403);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { NotApplicable } from '../deviation';
import { readStream } from '../exchange/event-stream';
import type { Exchange } from '../exchange/exchange';
import { serviceOf, usageOf } from '../shape/reply-parts';
import { address, amount } from '../shape/reply-shapes';
import { either, ensure, equal, exactly, must, nothing, object, oneOf, text, textLike } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';
import { priceOf } from '../target/price';
import { chargedIn, costOf, heldFor, spentBy } from './charge-parts';
import { lastOf } from './stream-parts';

interface Receipt {
  input_price_per_mtok: string;
  output_price_per_mtok: string;
  prompt_tokens: number;
  completion_tokens: number;
  cost_usdc: string;
}

/** How long a receipt is asked for again that is still being made, and how long after each time. */
const MADE_WITHIN_MS = 30_000;
const ASKED_AGAIN_MS = 1_000;

/** @throws NotApplicable where there are no receipts */
async function receiptOf(conversation: Conversation, exchange: Exchange): Promise<Receipt> {
  const path = `/receipts/${exchange.header('x-svc-request-id')}`;
  const untilMs = performance.now() + MADE_WITHIN_MS;
  let reply = await conversation.send({ path });
  while (reply.status === 503 && performance.now() < untilMs) {
    await delay(ASKED_AGAIN_MS);
    reply = await conversation.send({ path });
  }
  if (reply.status !== 200) throw new NotApplicable('the target tells no offer’s prices (no receipt)');
  return (reply.json() as { receipt: Receipt }).receipt;
}

/** A plain reply and a stream: what is promised of a charge holds for both. */
const REPLIES: readonly [string, (conversation: Conversation) => Promise<Exchange>][] = [
  ['a plain reply', (conversation) => conversation.plain()],
  ['a stream', (conversation) => conversation.streamWithUsage()],
];

const prices: ConformanceCase[] = REPLIES.flatMap(([what, take]): ConformanceCase[] => [
  {
    section: '2.2',
    promise: `cost_usdc of ${what} is what its tokens cost at the offer’s price, rounded up once`,
    charges: { requests: 1 },
    run: async (conversation) => {
      const exchange = await take(conversation);
      const receipt = await receiptOf(conversation, exchange);
      const { prompt_tokens: input, completion_tokens: output } = usageOf(chargedIn(exchange));
      const offer = {
        input: BigInt(receipt.input_price_per_mtok),
        output: BigInt(receipt.output_price_per_mtok),
      };
      const wanted = priceOf(offer, input, output);
      ensure(
        costOf(exchange) === wanted,
        `svc.cost_usdc: expected ${wanted} base units, got ${costOf(exchange)}`,
      );
    },
  },
  {
    section: '1',
    promise: `cost_usdc of ${what} is no more than x-svc-hold-usdc, which the request’s limit bounds`,
    charges: { requests: 1 },
    run: async (conversation) => {
      const exchange = await take(conversation);
      must(exchange.header('x-svc-hold-usdc'), amount, 'x-svc-hold-usdc');
      ensure(costOf(exchange) > 0n, 'svc.cost_usdc: nothing was charged');
      ensure(costOf(exchange) <= heldFor(exchange), `${costOf(exchange)} charged, ${heldFor(exchange)} held`);
    },
  },
]);

const others: ConformanceCase[] = [
  {
    section: '8',
    promise: 'a larger max_tokens holds more, by its own price and the prompt’s',
    charges: { requests: 2 },
    run: async (conversation) => {
      const held = [];
      for (const limit of [1, 101]) held.push(heldFor(await conversation.serve({ max_tokens: limit })));
      const [less = 0n, more = 0n] = held;
      const { prices: lowest } = conversation.models.chat;
      const apart = priceOf(lowest ?? { input: 0n, output: 0n }, 0, 100);
      // One base unit for the rounding of each.
      ensure(
        more - less >= apart - 1n,
        `100 tokens more: ${more - less} base units more, the lowest price is ${apart}`,
      );
    },
  },
  ...[false, true].map((stream): ConformanceCase => ({
    section: '1',
    promise: `what ${stream ? 'a stream' : 'a plain reply'} says it cost, the key was charged, and no more`,
    charges: { requests: 1 },
    alone: true,
    run: async (conversation) => {
      const before = await spentBy(conversation);
      const exchange = await conversation.serve({ stream, max_tokens: 20 });
      const charged = (await spentBy(conversation)) - before;
      ensure(charged === costOf(exchange), `${costOf(exchange)} base units said, ${charged} charged`);
    },
  })),
  {
    section: '7',
    promise: 'what is refused is not charged',
    alone: true,
    run: async (conversation) => {
      const before = await spentBy(conversation);
      for (const fields of [
        { messages: [] },
        { model: 'svc/no-such-model@1' },
        { n: 2 },
        { max_tokens: 0 },
      ]) {
        await conversation.ask(fields);
      }
      ensure((await spentBy(conversation)) === before, 'refusals were charged');
    },
  },
  {
    section: '4.1',
    promise: 'the charge of a stream stands before its end is told',
    charges: { requests: 1 },
    run: async (conversation) => {
      const exchange = await conversation.streamWithUsage();
      const receipt = await receiptOf(conversation, exchange);
      ensure(readStream(exchange).done, 'data: [DONE] is missing');
      must(receipt, object({ cost_usdc: equal(serviceOf(lastOf(exchange)).cost_usdc ?? '') }), 'the receipt');
    },
  },
];

const time = textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/, 'a time');
const keyCard = object({
  id: text,
  object: equal('key'),
  name: text,
  last_four: textLike(/^.{4}$/, 'four characters'),
  wallet: address,
  created_at: time,
  last_used_at: either(time, nothing),
  previous_expires_at: either(time, nothing),
  budget: either(
    exactly({
      cap_usdc: amount,
      reset: either(oneOf('daily', 'weekly', 'monthly'), nothing),
      resets_at: either(time, nothing),
    }),
    nothing,
  ),
  spent_usdc: amount,
  held_usdc: amount,
  spendable_usdc: amount,
});

const key: ConformanceCase = {
  section: '5',
  promise: 'GET /v1/key tells a key what it may spend, and nothing that is the key',
  run: async (conversation) => {
    const exchange = await conversation.send({ path: '/key' });
    ensure(exchange.status === 200, `expected 200, got ${exchange.status}`);
    must(exchange.json(), keyCard);
    // While a former value works on, the card shows the newest one's.
    const { previous_expires_at: previousExpiresAt } = exchange.json() as { previous_expires_at: unknown };
    if (previousExpiresAt === null)
      must(exchange.json(), object({ last_four: equal(conversation.apiKey.slice(-4)) }));
    ensure(!exchange.text.includes(conversation.apiKey), 'the reply holds the key');
  },
};

export const charges: readonly ConformanceCase[] = [...prices, ...others, key];

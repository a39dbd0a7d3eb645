import type { Exchange } from '../exchange/exchange';
import { serviceOf } from '../shape/reply-parts';
import { amount } from '../shape/reply-shapes';
import { must, object } from '../shape/rules';
import type { Conversation } from '../suite/conversation';
import { baseUnitsOf } from '../target/price';
import { lastOf } from './stream-parts';

/** Body of a plain reply, or the chunk with the charge. */
export const chargedIn = (exchange: Exchange): unknown =>
  exchange.header('content-type')?.startsWith('text/event-stream') ? lastOf(exchange) : exchange.json();

export const costOf = (exchange: Exchange): bigint =>
  baseUnitsOf(serviceOf(chargedIn(exchange)).cost_usdc ?? '');
export const heldFor = (exchange: Exchange): bigint => baseUnitsOf(exchange.header('x-svc-hold-usdc') ?? '');

/** What the key was charged for so far, and what is held for requests under way; base units. */
export async function accountOf(conversation: Conversation): Promise<{ spent: bigint; held: bigint }> {
  const card = (await conversation.send({ path: '/key' })).json();
  must(card, object({ spent_usdc: amount, held_usdc: amount }));
  const { spent_usdc, held_usdc } = card as { spent_usdc: string; held_usdc: string };
  return { spent: baseUnitsOf(spent_usdc), held: baseUnitsOf(held_usdc) };
}

export async function spentBy(conversation: Conversation): Promise<bigint> {
  return (await accountOf(conversation)).spent;
}

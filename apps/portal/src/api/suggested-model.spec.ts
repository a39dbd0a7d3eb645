import type { ChatModel } from './chat-models';
import { suggestedModel } from './suggested-model';

const model = (id: string, svc: Partial<ChatModel['svc']> = {}, tools = true) =>
  ({ id, svc: { capabilities: { workload: 'chat', tools }, ...svc } }) as ChatModel;
const pricing = (price: string) => ({ input_price_per_mtok: '1', output_price_per_mtok: price });

describe('suggestedModel', () => {
  const nobodys = model('a/nobodys@1');
  const routing = model('b/routing@1', { cortex: true, pricing: pricing('1') });
  const plain = model('c/plain@1', { pricing: pricing('5') }, false);
  const dear = model('d/dear@1', { pricing: pricing('200') });
  const cheap = model('e/cheap@1', { pricing: pricing('30') });
  const vendors = model('f/vendors@1', { fallback_pricing: pricing('9') });

  it.each([
    ['the cheapest with tools that somebody serves', [nobodys, routing, plain, dear, vendors, cheap], cheap],
    ['one without tools where nobody serves another', [nobodys, plain, vendors], plain],
    ['a managed vendor’s where no provider serves any', [nobodys, vendors], vendors],
    ['any, when none is served', [nobodys], nobodys],
    ['none, when there is none', [], undefined],
  ])('is %s', (_, models, expected) => {
    expect(suggestedModel(models)).toBe(expected);
  });
});

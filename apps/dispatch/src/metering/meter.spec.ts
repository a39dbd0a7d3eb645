import fc from 'fast-check';
import { priceOf } from '@svc/money';
import { meter } from './meter';
import type { HoldTerms, Observation } from './meter';
import { countPromptTokens } from './token-count';

const prices = { inputPerMtok: 100_000n, outputPerMtok: 400_000n };
const terms: HoldTerms = { inputEstimate: 100, maxTokens: 50, held: 30n, prices };
const observed = (part: Partial<Observation>): Observation => ({
  claimed: undefined,
  outputBytes: 120,
  toolCalls: 0,
  countPrompt: () => 40,
  ...part,
});

describe('what is charged', () => {
  it('is what an honest provider says', () => {
    expect(meter(observed({ claimed: { promptTokens: 80, completionTokens: 30 } }), terms)).toEqual({
      promptTokens: 80,
      completionTokens: 30,
      tokenSource: 'provider',
      cost: 20n,
      unpaid: 0n,
    });
  });

  it('is our own count when the provider says nothing', () => {
    expect(meter(observed({}), terms)).toEqual({
      promptTokens: 40,
      completionTokens: 30,
      tokenSource: 'counted',
      cost: 16n,
      unpaid: 0n,
    });
    expect(meter(observed({ outputBytes: 121 }), terms).completionTokens).toBe(31);
    expect(meter(observed({ countPrompt: () => 1_000, outputBytes: 1_000 }), terms)).toMatchObject({
      promptTokens: 100,
      completionTokens: 50,
      unpaid: 0n,
    });
  });

  it('is cut to what the observed bytes allow, at the provider’s cost', () => {
    const lie = { promptTokens: 100_000, completionTokens: 1_000_000 };
    expect(meter(observed({ claimed: lie, outputBytes: 4 }), terms)).toEqual({
      promptTokens: 100,
      completionTokens: 20,
      tokenSource: 'capped',
      cost: 18n,
      unpaid: 0n,
    });
    // A tool call has tokens around it that are no bytes.
    const { completionTokens } = meter(observed({ claimed: lie, outputBytes: 4, toolCalls: 2 }), {
      ...terms,
      ...{ maxTokens: 1_000, held: 1_000n },
    });
    expect(completionTokens).toBe(84);
  });

  it('is clamped to max_tokens; nobody pays for what was really written beyond', () => {
    const claimed = { promptTokens: 100, completionTokens: 90 };
    expect(meter(observed({ claimed, outputBytes: 400 }), terms)).toEqual({
      promptTokens: 100,
      completionTokens: 50,
      tokenSource: 'provider',
      cost: 30n,
      unpaid: 16n,
    });
  });

  it('is cut to what the hold pays for, and no further, should it have been made for less', () => {
    const claimed = { promptTokens: 100, completionTokens: 50 };
    const of = (held: bigint) => meter(observed({ claimed, outputBytes: 400 }), { ...terms, held });
    expect(of(29n)).toMatchObject({ promptTokens: 100, completionTokens: 47, cost: 29n, unpaid: 1n });
    expect(of(4n)).toMatchObject({ promptTokens: 40, completionTokens: 0, cost: 4n, unpaid: 26n });
  });

  it('is nothing for what is free, however much was written', () => {
    const free = { ...terms, held: 0n, prices: { inputPerMtok: 0n, outputPerMtok: 0n } };
    const claimed = { promptTokens: 100, completionTokens: 50 };
    expect(meter(observed({ claimed }), free)).toMatchObject({ ...claimed, cost: 0n, unpaid: 0n });
  });

  it('never exceeds the hold, whatever a provider says and however the hold was made', () => {
    const tokens = fc.integer({ min: 0, max: 1_000_000_000 });
    const price = fc.bigInt(0n, 10n ** 13n);
    fc.assert(
      fc.property(
        fc.record({
          claimed: fc.option(fc.record({ promptTokens: tokens, completionTokens: tokens }), {
            nil: undefined,
          }),
          outputBytes: fc.nat(10_000_000),
          toolCalls: fc.nat(10),
          prompt: tokens,
        }),
        fc.record({
          inputEstimate: tokens,
          maxTokens: tokens,
          held: fc.bigInt(0n, 10n ** 15n),
          prices: fc.record({ inputPerMtok: price, outputPerMtok: price }),
        }),
        ({ prompt, ...seen }, hold) => {
          const result = meter({ ...seen, countPrompt: () => prompt }, hold);
          const { promptTokens, completionTokens, cost, unpaid } = result;
          expect(cost).toBe(priceOf(hold.prices, promptTokens, completionTokens));
          expect(cost <= hold.held).toBe(true);
          expect(unpaid >= 0n).toBe(true);
          expect(promptTokens).toBeLessThanOrEqual(hold.inputEstimate);
          expect(completionTokens).toBeLessThanOrEqual(hold.maxTokens);
        },
      ),
    );
  });

  it('costs the same as metered when the hold was made as admission makes it', () => {
    const tokens = fc.nat(100_000);
    const price = fc.bigInt(0n, 10n ** 10n);
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, price, price, (input, max, prompt, written, a, b) => {
        const serving = { inputPerMtok: a, outputPerMtok: b };
        const held = priceOf(serving, input, max);
        const claimed = { promptTokens: prompt, completionTokens: written };
        const result = meter(observed({ claimed, outputBytes: written }), {
          inputEstimate: input,
          maxTokens: max,
          held,
          prices: serving,
        });
        expect(result.promptTokens).toBe(Math.min(prompt, input));
        expect(result.completionTokens).toBe(Math.min(written, max));
      }),
    );
  });
});

describe('countPromptTokens', () => {
  it('counts texts in every form, calls, tools and the format', () => {
    expect(countPromptTokens({ messages: [{ role: 'user', content: 'x'.repeat(40) }] })).toBe(14);
    expect(countPromptTokens({ messages: [{ role: 'user', content: 'é'.repeat(40) }] })).toBe(24);
    const parts = ['x'.repeat(40), 'é'].map((text) => ({ type: 'text', text }));
    expect(countPromptTokens({ messages: [{ role: 'user', content: parts }] })).toBe(15);
    expect(countPromptTokens({ messages: [{ role: 'user', content: [...parts, { type: 'x' }] }] })).toBe(18);
    const tools = [{ type: 'function', function: { name: 'f' } }];
    // 45 bytes, twice, and 22: 28 tokens, and 4 around the message.
    const response_format = { type: 'json_object' };
    const messages = [{ content: null, tool_calls: tools }];
    expect(countPromptTokens({ messages, tools, response_format })).toBe(32);
    expect(countPromptTokens({ tools: ['é'.repeat(40)] })).toBe(21);
    expect(countPromptTokens({})).toBe(0);
    const nothing = { messages: [{ content: null, tool_calls: null }], tools: null, response_format: null };
    expect(countPromptTokens(nothing)).toBe(4);
  });

  it('counts what has another form than it should by its JSON, or not at all', () => {
    expect(countPromptTokens({ messages: [null, 'x', 5] })).toBe(12);
    expect(countPromptTokens({ messages: [{ content: 5 }] })).toBe(4);
    expect(countPromptTokens({ messages: [{ content: [null, 'x'] }] })).toBe(5);
    expect(countPromptTokens({ messages: [{ content: null, tool_calls: ['ab'] }] })).toBe(6);
  });

  it('leaves out what a model thought, which few are told', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const count = (message: object) => countPromptTokens({ messages: [{ content: null, ...message }] });
    const thoughtful = {
      tool_calls: [{ ...call, extra_content: { google: 'x'.repeat(400) } }],
      reasoning_content: 'hm',
    };
    expect(count(thoughtful)).toBe(count({ tool_calls: [call] }));
  });
});

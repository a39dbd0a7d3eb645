import fc from 'fast-check';
import type { ModelView } from '@svc/contracts';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { demoModel } from '../testing/models.for-spec';
import { outputLimitOf } from './output-limit';
import type { PromptSize } from './output-limit';

const request: ChatCompletionRequest = {
  model: demoModel.id,
  messages: [{ role: 'user', content: 'Hello' }],
};

function modelOf(contextLimit: number, maxOutputTokens: number): ModelView {
  return { ...demoModel, contextLimit, capabilities: { ...demoModel.capabilities, maxOutputTokens } };
}

/** Of plain text: three and five characters a token. */
function sizeOf(inputEstimate: number): PromptSize {
  return { inputEstimate, inputLeast: Math.ceil((inputEstimate * 3) / 5) };
}

describe('outputLimitOf', () => {
  it('leaves a default request within the context that is shown, though all of it were certified for output', () => {
    expect(outputLimitOf(request, modelOf(8_192, 8_192), sizeOf(50))).toBe(8_142);
    expect(outputLimitOf(request, modelOf(131_072, 131_072), sizeOf(50))).toBe(16_384);
  });

  it.each<[string, number, number, object, number]>([
    ['what the estimate leaves', 8_192, 7_000, {}, 1_192],
    ['a quarter of what the least leaves, where the estimate leaves nothing', 8_192, 10_000, {}, 548],
    ['no more than 1,024 by default where it leaves nothing', 131_072, 140_000, {}, 1_024],
    ['as much as is asked for, while the least leaves it', 8_192, 10_000, { max_tokens: 2_192 }, 2_192],
    ['one last token', 6_001, 10_000, {}, 1],
  ])('leaves %s', (_, contextLimit, estimate, fields, limit) => {
    const model = modelOf(contextLimit, contextLimit);
    expect(outputLimitOf({ ...request, ...fields }, model, sizeOf(estimate))).toBe(limit);
  });

  it('serves English prose to 95 % of any context, though its estimate is above all of it', () => {
    for (const contextLimit of [2_048, 8_192, 131_072]) {
      const tokens = Math.floor(contextLimit * 0.95);
      const characters = tokens * 4.3;
      const size = { inputEstimate: Math.ceil(characters / 3), inputLeast: Math.ceil(characters / 5) };
      const limit = outputLimitOf(request, modelOf(contextLimit, 1_024), size) as number;
      expect(limit).toBeGreaterThanOrEqual(90);
      expect(tokens + limit).toBeLessThanOrEqual(contextLimit);
    }
  });

  // LangChain, LiteLLM, crewAI and ruby_llm, among others, know it by these words, and shorten the conversation.
  it.each<[string, number, object]>([
    ['the prompt', 14_000, {}],
    ['the prompt with what is asked for', 13_000, { max_tokens: 1_000 }],
  ])('calls the context as clients know it, where %s is too long for it', (_, estimate, fields) => {
    const refused = outputLimitOf({ ...request, ...fields }, modelOf(8_192, 4_096), sizeOf(estimate));
    expect(refused).toMatchObject({ message: expect.stringContaining('maximum context length') as string });
  });

  it('lets no request pass that is larger than the card says', () => {
    const tokens = fc.integer({ min: 1, max: 200_000 });
    const asked = fc.option(tokens, { nil: undefined });
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        asked,
        (contextLimit, maxOutputTokens, inputEstimate, max_tokens) => {
          const size = sizeOf(inputEstimate);
          const model = modelOf(contextLimit, maxOutputTokens);
          const limit = outputLimitOf({ ...request, max_tokens }, model, size);
          if (typeof limit === 'number') {
            expect(limit).toBeGreaterThanOrEqual(1);
            expect(limit).toBeLessThanOrEqual(maxOutputTokens);
            expect(size.inputLeast + limit).toBeLessThanOrEqual(contextLimit);
            if (max_tokens !== undefined) expect(limit).toBe(max_tokens);
          } else {
            const fits =
              size.inputLeast + (max_tokens ?? 1) <= contextLimit && (max_tokens ?? 1) <= maxOutputTokens;
            expect([limit.code, fits]).toEqual(['invalid_request', false]);
          }
        },
      ),
    );
  });
});

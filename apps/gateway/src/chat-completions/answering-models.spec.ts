import type { ModelView, ToolContract } from '@svc/contracts';
import { ENVIRONMENTS } from '@svc/environment';
import { SvcError } from '@svc/errors';
import type { ChatCompletionRequest } from '@svc/openai-api';
import fc from 'fast-check';
import type { RoutingModel } from '../models/listed-model';
import { demoModel, toollessModel } from '../testing/models.for-spec';
import { roomyModels, supportingModels } from './answering-models';
import type { PromptSize } from './output-limit';

const { testnet } = ENVIRONMENTS;
const message = { role: 'user' as const, content: 'Hi' };
const base: ChatCompletionRequest = { model: 'svc/cortex@1', messages: [message] };
const tools: ChatCompletionRequest['tools'] = [{ type: 'function', function: { name: 'look_up' } }];
const contract = demoModel.toolContract as ToolContract;
const ceiling = { inputPricePerMtok: '200000', outputPricePerMtok: '800000' };

/** Can do everything, but is no good at calls in parallel. */
const serial = {
  ...demoModel,
  id: 'svc/serial@1',
  toolContract: { ...contract, parallel_tool_calls: false },
};

function routingAmong(...candidates: ModelView[]): RoutingModel {
  return { id: 'svc/cortex@1', created: 0, ownedBy: 'svc', ceiling, candidates };
}

function sized(id: string, contextLimit: number, maxOutputTokens: number): ModelView {
  return { ...demoModel, id, contextLimit, capabilities: { ...demoModel.capabilities, maxOutputTokens } };
}

/** Of plain text: three and five characters a token. */
function sizeOf(inputEstimate: number): PromptSize {
  return { inputEstimate, inputLeast: Math.ceil((inputEstimate * 3) / 5) };
}

function refusalOf(act: () => unknown): { code: string; param: string | undefined; message: string } {
  try {
    act();
  } catch (error) {
    if (!SvcError.is(error)) throw error;
    return { code: error.code, param: error.payload.param, message: error.message };
  }
  throw new Error('accepted');
}

describe('the models that support a request', () => {
  const supporting = (fields: Partial<ChatCompletionRequest>, ...candidates: ModelView[]) =>
    supportingModels({ ...base, ...fields }, routingAmong(...candidates), testnet).map(({ id }) => id);

  it.each<[string, Partial<ChatCompletionRequest>, string[]]>([
    ['everything', {}, ['svc/demo@1', 'svc/plain@1', 'svc/serial@1']],
    ['a stream', { stream: true }, ['svc/demo@1', 'svc/serial@1']],
    ['tools', { tools }, ['svc/demo@1', 'svc/serial@1']],
    ['calls in parallel', { tools, parallel_tool_calls: true }, ['svc/demo@1']],
  ])('are those that can do %s', (_, fields, ids) => {
    expect(supporting(fields, demoModel, toollessModel, serial)).toEqual(ids);
  });

  it('are the named one alone, which is refused in its own words', () => {
    expect(supportingModels(base, toollessModel, testnet)).toEqual([toollessModel]);
    expect(refusalOf(() => supportingModels({ ...base, tools }, toollessModel, testnet))).toEqual({
      code: 'feature_not_supported',
      param: 'tools',
      message: 'The model "svc/plain@1" does not support tools.',
    });
  });

  it('are none only when no candidate can; the one with most features says what it lacks', () => {
    const fields = { tools, parallel_tool_calls: true };
    for (const candidates of [
      [toollessModel, serial],
      [serial, toollessModel],
    ]) {
      expect(refusalOf(() => supporting(fields, ...candidates))).toEqual({
        code: 'feature_not_supported',
        param: 'parallel_tool_calls',
        message:
          'No candidate of "svc/cortex@1" can take this request. The model "svc/serial@1" does not support parallel tool calls.',
      });
    }
  });
});

describe('the models that have room', () => {
  const roomy = (
    fields: Partial<ChatCompletionRequest>,
    inputEstimate: number,
    candidates: readonly ModelView[],
  ) => {
    const request = { ...base, ...fields };
    const { models, maxTokens } = roomyModels(
      request,
      routingAmong(...candidates),
      candidates,
      sizeOf(inputEstimate),
    );
    return { ids: models.map(({ id }) => id), maxTokens };
  };
  const small = sized('svc/small@1', 4_096, 1_024);
  const large = sized('svc/large@1', 131_072, 32_768);

  it.each<[string, Partial<ChatCompletionRequest>, number, string[], number]>([
    ['what is asked for', { max_tokens: 500 }, 100, ['svc/small@1', 'svc/large@1'], 500],
    ['what is asked for, of those that can', { max_tokens: 2_000 }, 100, ['svc/large@1'], 2_000],
    [
      'what is asked for, however little room it leaves',
      { max_tokens: 96 },
      6_666,
      ['svc/small@1', 'svc/large@1'],
      96,
    ],
    ['the smallest default, which leaves all', {}, 100, ['svc/small@1', 'svc/large@1'], 1_024],
    ['the smallest default, half of it', {}, 3_584, ['svc/small@1', 'svc/large@1'], 512],
    ['the default of those that the prompt leaves room', {}, 3_585, ['svc/large@1'], 16_384],
    ['the default of those whose context holds the prompt', {}, 50_000, ['svc/large@1'], 16_384],
    ['what is left, where nobody has much', {}, 218_000, ['svc/large@1'], 68],
  ])('may write %s', (_, fields, inputEstimate, ids, maxTokens) => {
    expect(roomy(fields, inputEstimate, [small, large])).toEqual({ ids, maxTokens });
  });

  it.each<[string, string, Partial<ChatCompletionRequest>, number]>([
    ['messages', 'is 131072', {}, 218_452],
    ['max_tokens', 'generates at most 32768', { max_tokens: 32_769 }, 100],
    ['max_completion_tokens', 'leaves 72', { max_completion_tokens: 100 }, 218_333],
  ])('are none when not even the largest has: %s', (param, words, fields, inputEstimate) => {
    for (const candidates of [
      [small, large],
      [large, small],
    ]) {
      const refusal = refusalOf(() => roomy(fields, inputEstimate, candidates));
      expect(refusal).toMatchObject({ code: 'invalid_request', param });
      expect(refusal.message).toContain(words);
      expect(refusal.message).toContain('No candidate of "svc/cortex@1"');
    }
  });

  it('hold prompt and answer, each of them', () => {
    const size = fc.integer({ min: 1, max: 50_000 });
    const anyModel = fc
      .tuple(fc.uuid(), size, size)
      .map(([id, context, output]) => sized(id, context, output));
    const asked = fc.option(size, { nil: undefined });
    fc.assert(
      fc.property(
        fc.array(anyModel, { minLength: 1, maxLength: 6 }),
        size,
        asked,
        (candidates, inputEstimate, max_tokens) => {
          const { inputLeast } = sizeOf(inputEstimate);
          const request = { ...base, max_tokens };
          const fits = ({ contextLimit, capabilities }: ModelView) =>
            inputLeast + (max_tokens ?? 1) <= contextLimit &&
            (max_tokens ?? 1) <= capabilities.maxOutputTokens;
          if (!candidates.some(fits)) {
            expect(refusalOf(() => roomy({ max_tokens }, inputEstimate, candidates)).code).toBe(
              'invalid_request',
            );
            return;
          }
          const { models, maxTokens } = roomyModels(
            request,
            routingAmong(...candidates),
            candidates,
            sizeOf(inputEstimate),
          );
          expect(models.length).toBeGreaterThan(0);
          if (max_tokens !== undefined)
            expect([maxTokens, models]).toEqual([max_tokens, candidates.filter(fits)]);
          for (const { contextLimit, capabilities } of models) {
            expect(maxTokens).toBeLessThanOrEqual(capabilities.maxOutputTokens);
            expect(inputLeast + maxTokens).toBeLessThanOrEqual(contextLimit);
          }
        },
      ),
    );
  });
});

import type { ModelView, ToolContract } from '@svc/contracts';
import fc from 'fast-check';
import { demoModel, routingModel, toollessModel } from '../testing/models.for-spec';
import type { RoutingModel } from './listed-model';
import { commonDetailsOf, isAvailable } from './routing-details';

const contract = demoModel.toolContract as ToolContract;
const ceiling = {
  inputPricePerMtok: routingModel.maxInputPricePerMtok,
  outputPricePerMtok: routingModel.maxOutputPricePerMtok,
};

function routingAmong(...candidates: ModelView[]): RoutingModel {
  return { id: routingModel.id, created: 0, ownedBy: 'svc', ceiling, candidates };
}

function certified(fields: Partial<ToolContract>): ModelView {
  return { ...demoModel, toolContract: { ...contract, ...fields } };
}

const choices = ['auto', 'none', 'required', 'function'];
const anyModel = fc.record({
  contextLimit: fc.integer({ min: 1, max: 1_000_000 }),
  capabilities: fc.record({
    workload: fc.constant('chat' as const),
    tools: fc.boolean(),
    structuredOutputs: fc.boolean(),
    reasoning: fc.boolean(),
    streaming: fc.boolean(),
    maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
  }),
  toolContract: fc.record({
    tool_choice: fc.subarray(choices),
    parallel_tool_calls: fc.boolean(),
    strict_schemas: fc.boolean(),
    tool_streaming: fc.constant('buffered'),
    max_argument_bytes: fc.nat(100_000),
    certified_concurrency: fc.nat(100),
    agentic_certified: fc.boolean(),
    metering_version: fc.nat(3),
    certification_id: fc.uuid(),
  }),
});

describe('what the candidates of a routing model have in common', () => {
  it('is never more than any of them has', () => {
    fc.assert(
      fc.property(fc.array(anyModel, { minLength: 1, maxLength: 6 }), (models) => {
        const common = commonDetailsOf(routingAmong(...models.map((model) => ({ ...demoModel, ...model }))));
        for (const { contextLimit, capabilities, toolContract } of models) {
          expect(common.contextLimit).toBeLessThanOrEqual(contextLimit);
          expect(common.capabilities.maxOutputTokens).toBeLessThanOrEqual(capabilities.maxOutputTokens);
          for (const can of ['tools', 'structuredOutputs', 'reasoning', 'streaming'] as const) {
            expect(!common.capabilities[can] || capabilities[can]).toBe(true);
          }
          if (!common.toolContract) continue;
          for (const may of ['parallel_tool_calls', 'strict_schemas', 'agentic_certified'] as const) {
            expect(!common.toolContract[may] || toolContract[may]).toBe(true);
          }
          for (const most of ['max_argument_bytes', 'certified_concurrency', 'metering_version'] as const) {
            expect(common.toolContract[most]).toBeLessThanOrEqual(toolContract[most]);
          }
          expect(toolContract.tool_choice).toEqual(expect.arrayContaining(common.toolContract.tool_choice));
        }
        expect(common.toolContract !== undefined).toBe(common.capabilities.tools);
      }),
    );
  });

  it('is all that one alone has', () => {
    const { contextLimit, capabilities, toolContract } = demoModel;
    expect(commonDetailsOf(routingAmong(demoModel))).toEqual({ contextLimit, capabilities, toolContract });
  });

  it.each<[string, ModelView]>([
    ['one has none', toollessModel],
    ['nothing says what one was certified for', { ...demoModel, toolContract: undefined }],
    ['they can be chosen in no way that all have', certified({ tool_choice: ['required'] })],
  ])('is no tools when %s', (_, other) => {
    const auto = certified({ tool_choice: ['auto', 'none'] });
    for (const candidates of [
      [auto, other],
      [other, auto],
    ]) {
      const common = commonDetailsOf(routingAmong(...candidates));
      expect(common.capabilities.tools).toBe(false);
      expect(common).not.toHaveProperty('toolContract');
    }
  });

  it('has a joint certification id, whatever their order, and another one when one of them is certified anew', () => {
    const idOf = (...ids: string[]) =>
      commonDetailsOf(routingAmong(...ids.map((certification_id) => certified({ certification_id }))))
        .toolContract?.certification_id;
    expect(idOf('cert_1')).toBe('cert_1');
    expect(idOf('cert_1', 'cert_2')).toMatch(/^joint_[0-9a-f]{32}$/);
    expect(idOf('cert_2', 'cert_1')).toBe(idOf('cert_1', 'cert_2'));
    expect(idOf('cert_1', 'cert_3')).not.toBe(idOf('cert_1', 'cert_2'));
  });
});

describe('a candidate', () => {
  it.each<[string, ModelView['pricing'], boolean]>([
    ['served within the ceiling', { inputPricePerMtok: '200000', outputPricePerMtok: '800000' }, true],
    ['served by nobody', undefined, false],
    ['dearer for the prompt', { inputPricePerMtok: '200001', outputPricePerMtok: '1' }, false],
    ['dearer for the answer', { inputPricePerMtok: '1', outputPricePerMtok: '800001' }, false],
  ])('%s is available or not', (_, pricing, available) => {
    const candidate = { ...demoModel, pricing };
    expect(isAvailable(candidate, routingAmong(candidate))).toBe(available);
  });
});

import { ENVIRONMENTS } from '@svc/environment';
import { demoModel, routingModel, toollessModel } from '../testing/models.for-spec';
import type { RoutingModel } from './listed-model';
import { modelCardOf } from './model-card';

describe('a model card', () => {
  it('shows the tool contract on the test network only, and only with tools', () => {
    expect(modelCardOf(demoModel, ENVIRONMENTS.testnet).svc.tool_contract).toEqual(demoModel.toolContract);
    expect(modelCardOf(demoModel, ENVIRONMENTS.production).svc).not.toHaveProperty('tool_contract');
    const odd = { ...toollessModel, toolContract: demoModel.toolContract };
    expect(modelCardOf(odd, ENVIRONMENTS.testnet).svc).not.toHaveProperty('tool_contract');
  });

  it('has no pricing while nobody serves the model, and nothing that the view does not mean for clients', () => {
    expect(modelCardOf(toollessModel, ENVIRONMENTS.testnet).svc).not.toHaveProperty('pricing');
    const leaky = {
      ...demoModel,
      endpoint: 'http://10.0.0.1',
      capabilities: { ...demoModel.capabilities, x: 1 },
    };
    expect(JSON.stringify(modelCardOf(leaky, ENVIRONMENTS.testnet))).not.toMatch(/endpoint|"x"/);
  });

  it('states what the managed fallback costs where it answers for named models, also while nobody serves', () => {
    const managed = {
      ...toollessModel,
      managedPricing: { inputPricePerMtok: '500000', outputPricePerMtok: '1500000' },
    };
    const { svc } = modelCardOf(managed, ENVIRONMENTS.production);
    expect(svc.fallback_pricing).toEqual({
      input_price_per_mtok: '500000',
      output_price_per_mtok: '1500000',
    });
    expect(svc).not.toHaveProperty('pricing');
    expect(modelCardOf(managed, ENVIRONMENTS.testnet).svc).not.toHaveProperty('fallback_pricing');
    expect(modelCardOf(toollessModel, ENVIRONMENTS.production).svc).not.toHaveProperty('fallback_pricing');
  });

  it('of the routing model is the most conservative of its candidates, at a ceiling', () => {
    const small = { ...demoModel, id: 'svc/small@1', contextLimit: 8_192, pricing: undefined };
    const routing: RoutingModel = {
      id: routingModel.id,
      created: routingModel.created,
      ownedBy: 'svc',
      ceiling: { inputPricePerMtok: '200000', outputPricePerMtok: '800000' },
      candidates: [demoModel, small],
    };
    expect(modelCardOf(routing, ENVIRONMENTS.testnet)).toEqual({
      id: 'svc/cortex@1',
      object: 'model',
      created: 1_760_000_000,
      owned_by: 'svc',
      svc: {
        contextLimit: 8_192,
        capabilities: demoModel.capabilities,
        pricing: { input_price_per_mtok: '200000', output_price_per_mtok: '800000' },
        tool_contract: demoModel.toolContract,
        cortex: true,
        candidates: [
          {
            model: 'svc/demo@1',
            contextLimit: 32_768,
            capabilities: demoModel.capabilities,
            pricing: { input_price_per_mtok: '100000', output_price_per_mtok: '400000' },
            available: true,
          },
          {
            model: 'svc/small@1',
            contextLimit: 8_192,
            capabilities: demoModel.capabilities,
            available: false,
          },
        ],
        basis: 'ceiling',
      },
    });
  });
});

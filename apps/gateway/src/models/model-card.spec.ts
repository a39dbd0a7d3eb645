import { ENVIRONMENTS } from '@svc/environment';
import { demoModel, toollessModel } from '../testing/models.for-spec';
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
});

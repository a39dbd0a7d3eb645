import { modelPath } from './market-model';

describe('modelPath', () => {
  it('leads to a model, whatever its id holds', () => {
    expect(modelPath('svc/demo-small@1')).toBe('/models/svc/demo-small@1');
    expect(modelPath('svc/a?b#c%@1')).toBe('/models/svc/a%3Fb%23c%25@1');
  });
});

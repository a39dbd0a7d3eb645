import { developmentAddress, developmentKey } from './development-accounts';

describe('development accounts', () => {
  it('are the ones every development node funds', () => {
    expect(developmentAddress(0)).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
    expect(developmentAddress(1)).toBe('0x70997970c51812dc3a010c7d01b50e0d17dc79c8');
    expect(developmentKey(1)).toBe('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
  });
});

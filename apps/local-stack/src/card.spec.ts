import type { Ready } from '@svc/local-servers';
import { card } from './card';

const ready: Ready = {
  environment: 'production',
  gateway: 'http://127.0.0.1:8080',
  gateways: ['http://127.0.0.1:8080'],
  portal: null,
  apiKey: 'svc_live_key',
  ...{
    wallet: '0x1',
    walletPrivateKey: '0x2',
    chainRpc: 'http://127.0.0.1:8545',
    usdc: '0x3',
    settlement: '0x4',
  },
  ...{ natsUrl: 'nats://127.0.0.1:4222', databaseUrl: 'postgresql://127.0.0.1/svc', processes: {} },
};

describe('the card', () => {
  const cardOf = (models: string[], missing: { model: string; reason: string }[] = []) =>
    card(ready, { models, missing, isChainLocal: true }, '/state', '9.5');

  it('has a request for the first model', () => {
    const text = cardOf(['svc/a@1', 'svc/b@1']);
    expect(text).toContain('    Models     svc/a@1, svc/b@1\n');
    expect(text).toContain(
      `-d '{"model":"svc/a@1","messages":[{"role":"user","content":"Hello!"}]}'\n    Details`,
    );
  });

  it('has none, and says so, while no model is live', () => {
    const text = cardOf([], [{ model: 'svc/a@1', reason: 'suspended by certification_expired: It ended.' }]);
    expect(text).toContain(
      '    Models     none is live; http://127.0.0.1:8080/v1/models has them once they are\n' +
        '    Not live   svc/a@1: suspended by certification_expired: It ended.\n' +
        '    Details',
    );
    expect(text).not.toContain('curl');
  });
});

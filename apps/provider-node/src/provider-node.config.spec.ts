import { loadProviderNodeConfig } from './provider-node.config';

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(loadProviderNodeConfig({})).toMatchObject({
      httpHost: '127.0.0.1',
      models: ['demo'],
      tokensPerSecond: 50,
    });
  });

  it('reads several model names', () => {
    expect(loadProviderNodeConfig({ PROVIDER_MODEL: 'svc/demo@1, demo' }).models).toEqual([
      'svc/demo@1',
      'demo',
    ]);
  });

  it.each([
    ['PROVIDER_MODEL', 'one,,two'],
    ['HTTP_PORT', '70000'],
    ['PROVIDER_TOKENS_PER_SECOND', 'fast'],
    ['PROVIDER_TOKEN', 'short'],
    ['UPSTREAM_URL', 'ftp://model.internal/secret'],
  ])('names %s and not its value', (variable, value) => {
    const load = () => loadProviderNodeConfig({ [variable]: value });
    expect(load).toThrow(variable);
    expect(load).not.toThrow(value);
  });

  it.each(['http://model_server:8000/v1', 'http://[::1]:8000/v1', 'http://localhost:11434/v1'])(
    'takes the upstream %s',
    (url) => {
      const given = { UPSTREAM_URL: url, UPSTREAM_MODEL: 'llama' };
      expect(loadProviderNodeConfig(given).upstreamUrl).toBe(url);
    },
  );

  it('wants the upstream and its model together', () => {
    expect(() => loadProviderNodeConfig({ UPSTREAM_URL: 'http://127.0.0.1:8080/v1' })).toThrow(
      'UPSTREAM_MODEL',
    );
    const both = { UPSTREAM_URL: 'http://127.0.0.1:8080/v1', UPSTREAM_MODEL: 'llama' };
    expect(loadProviderNodeConfig(both).upstreamUrl).toBe('http://127.0.0.1:8080/v1');
  });
});

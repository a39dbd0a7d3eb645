import { join } from 'node:path';
import { marketModels, providerDefinitions, vendorDefinition } from './provider-definitions';
import type { StackContext } from './stack-context';
import { readOptions, stackPaths } from './stack.config';
import type { UpstreamOption } from './stack.config';

const root = join(__dirname, '../../..');

function contextFor(upstream?: UpstreamOption): StackContext {
  const replicas = { gateway: 1, dispatch: 1 };
  // What providers are made of; the rest of the context has no part in it.
  const options = readOptions({ upstream, replicas }, {});
  return { options, paths: stackPaths(root, '/nowhere') } as StackContext;
}

describe('providers of the local market', () => {
  it('are one demo per stall of the seed, each with its models', () => {
    const definitions = providerDefinitions(contextFor());
    expect(definitions.length).toBeGreaterThanOrEqual(2);
    for (const { name, settings, upstream } of definitions) {
      expect(name).toMatch(/^provider-demo-\d$/);
      expect(settings.PROVIDER_MODEL).not.toBe('');
      expect(upstream).toBeUndefined();
    }
    expect(marketModels(contextFor())[0]).toMatch(/^svc\/.+@\d+$/);
    expect(marketModels(contextFor())).not.toContain('svc/demo-embed@1');
  });

  it('do not include the demo vendor, which answers for some of the models', () => {
    const { name, settings } = vendorDefinition(contextFor());
    expect(providerDefinitions(contextFor()).map((provider) => provider.name)).not.toContain(name);
    expect(settings.PROVIDER_MODEL).toBe('demo-small,demo-large');
  });

  it.each([
    ['llama3.2:1b', 'svc/llama3.2-1b@1'],
    ['Qwen/Qwen3-0.6B', 'svc/qwen-qwen3-0.6b@1'],
    ['模型', 'svc/upstream@1'],
  ])('include the upstream %s as %s', (model, marketId) => {
    const url = 'http://127.0.0.1:11434/v1';
    const context = contextFor({ url, model, apiKey: 'sk-1' });
    expect(providerDefinitions(context).at(-1)).toEqual({
      name: 'provider-upstream',
      upstream: { model, marketId },
      settings: { PROVIDER_MODEL: model, UPSTREAM_URL: url, UPSTREAM_MODEL: model, UPSTREAM_API_KEY: 'sk-1' },
    });
    expect(marketModels(context)[0]).toBe(marketId);
  });
});

import { readOptions } from './stack.config';

const single = { replicas: { gateway: 1, dispatch: 1 } };

describe('readOptions', () => {
  it('asks for nothing special by default', () => {
    expect(readOptions(single, {})).toEqual({
      external: {},
      replicas: { gateway: 1, dispatch: 1 },
      shutdownGraceMs: 10_000,
    });
  });

  it('takes real servers from the environment, an empty variable being none', () => {
    const env = { NATS_URL: 'nats://nats.test:4222', DATABASE_URL: '', CHAIN_RPC_URL: 'https://chain.test' };
    expect(readOptions(single, env).external).toEqual({
      natsUrl: 'nats://nats.test:4222',
      chainRpcUrl: 'https://chain.test',
    });
  });

  it('takes the key of an upstream from the environment, where no process list shows it, unless it is said', () => {
    const upstream = { url: 'http://127.0.0.1:8080/v1', model: 'llama' };
    const env = { UPSTREAM_API_KEY: 'sk-1' };
    expect(readOptions({ ...single, upstream }, env).upstream?.apiKey).toBe('sk-1');
    const said = { ...upstream, apiKey: 'sk-2' };
    expect(readOptions({ ...single, upstream: said }, env).upstream?.apiKey).toBe('sk-2');
  });

  it('takes how long processes may take to stop, an empty variable being none', () => {
    expect(readOptions(single, { SHUTDOWN_GRACE_MS: '60000' }).shutdownGraceMs).toBe(60_000);
    expect(readOptions(single, { SHUTDOWN_GRACE_MS: '' }).shutdownGraceMs).toBe(10_000);
  });

  it.each([
    [{ gateway: 2, dispatch: 1 }, { METRICS_PORT: '0' }],
    [{ gateway: 2, dispatch: 1 }, { METRICS_PORT: '' }],
    [{ gateway: 1, dispatch: 2 }, { METRICS_PORT: '9464' }],
  ])('lets %j have %j', (replicas, env) => {
    expect(() => readOptions({ replicas }, env)).not.toThrow();
  });

  it('refuses one port for the metrics of two gateways', () => {
    const replicas = { gateway: 2, dispatch: 1 };
    expect(() => readOptions({ replicas }, { METRICS_PORT: '9464' })).toThrow(
      'METRICS_PORT is one port, which 2 gateways cannot share',
    );
  });

  it.each([
    [{ NATS_URL: 'nats://a.test:4222,b.test' }, 'NATS_URL must be a URL that begins with nats://'],
    [{ SHUTDOWN_GRACE_MS: '1m' }, 'SHUTDOWN_GRACE_MS must be a whole number of milliseconds'],
    [
      { DATABASE_URL: 'mysql://root:hunter2@db' },
      'DATABASE_URL must be a URL that begins with postgresql://',
    ],
  ])('refuses %j', (env, message) => {
    expect(() => readOptions(single, env)).toThrow(message);
  });

  it('never repeats a refused URL, which may hold a password', () => {
    expect(() => readOptions(single, { DATABASE_URL: 'mysql://root:hunter2@db' })).not.toThrow(/hunter2/);
  });
});

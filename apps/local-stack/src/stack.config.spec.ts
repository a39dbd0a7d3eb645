import { readOptions } from './stack.config';

describe('readOptions', () => {
  it('asks for nothing special by default', () => {
    expect(readOptions([], {})).toEqual({
      external: {},
      replicas: { gateway: 1, dispatch: 1 },
      shutdownGraceMs: 10_000,
    });
  });

  it('takes real servers from the environment, an empty variable being none', () => {
    const env = { NATS_URL: 'nats://nats.test:4222', DATABASE_URL: '', CHAIN_RPC_URL: 'https://chain.test' };
    expect(readOptions([], env).external).toEqual({
      natsUrl: 'nats://nats.test:4222',
      chainRpcUrl: 'https://chain.test',
    });
  });

  it.each([
    [['--upstream', 'http://127.0.0.1:8080/v1', '--upstream-model', 'llama'], undefined],
    [['--upstream=http://127.0.0.1:8080/v1', '--upstream-model=llama', '--upstream-key=a=b'], 'a=b'],
  ])('takes an upstream from %j', (args, apiKey) => {
    expect(readOptions(args, {}).upstream).toEqual({
      url: 'http://127.0.0.1:8080/v1',
      model: 'llama',
      apiKey,
    });
  });

  it('takes the key of an upstream from the environment, where no process list shows it', () => {
    const args = ['--upstream', 'http://127.0.0.1:8080/v1', '--upstream-model', 'llama'];
    expect(readOptions(args, { UPSTREAM_API_KEY: 'sk-1' }).upstream?.apiKey).toBe('sk-1');
  });

  it('takes a number of replicas', () => {
    expect(readOptions(['--dispatch', '3'], {}).replicas).toEqual({ gateway: 1, dispatch: 3 });
  });

  it('takes a range of replicas, and begins with the least', () => {
    const { replicas, dispatchRange } = readOptions(['--dispatch', '2-4'], {});
    expect([replicas.dispatch, dispatchRange]).toEqual([2, { least: 2, most: 4 }]);
  });

  it('takes how long processes may take to stop, an empty variable being none', () => {
    expect(readOptions([], { SHUTDOWN_GRACE_MS: '60000' }).shutdownGraceMs).toBe(60_000);
    expect(readOptions([], { SHUTDOWN_GRACE_MS: '' }).shutdownGraceMs).toBe(10_000);
  });

  it.each([
    [['--gateway', '2'], { METRICS_PORT: '0' }],
    [['--gateway', '2'], { METRICS_PORT: '' }],
    [['--dispatch', '2'], { METRICS_PORT: '9464' }],
  ])('lets the gateways of %j have %j', (args, env) => {
    expect(() => readOptions(args, env)).not.toThrow();
  });

  it.each([
    [['--gateway', '2'], { METRICS_PORT: '9464' }, 'METRICS_PORT is one port, which 2 gateways cannot share'],
    [['--dispatch', '4-2'], {}, '--dispatch must be a number, or two'],
    [['--dispatch', '1-99'], {}, '--dispatch must be a whole number from 1 to 16'],
    [['--dispatch', '1-2-3'], {}, '--dispatch must be a number, or two'],
    [['--upstream', 'http://127.0.0.1:8080/v1'], {}, '--upstream and --upstream-model belong together'],
    [['--upstream', 'ftp://x', '--upstream-model', 'm'], {}, '--upstream must be a URL'],
    [['--upstream'], {}, '--upstream needs a value'],
    [['--dispatch', '0'], {}, '--dispatch must be a whole number from 1 to 16'],
    [['--portal'], {}, 'Unknown option --portal'],
    [[], { NATS_URL: 'nats://a.test:4222,b.test' }, 'NATS_URL must be a URL that begins with nats://'],
    [[], { SHUTDOWN_GRACE_MS: '1m' }, 'SHUTDOWN_GRACE_MS must be a whole number of milliseconds'],
    [
      [],
      { DATABASE_URL: 'mysql://root:hunter2@db' },
      'DATABASE_URL must be a URL that begins with postgresql://',
    ],
  ])('refuses %j with %j', (args, env, message) => {
    expect(() => readOptions(args, env)).toThrow(message);
  });

  it('never repeats a refused URL, which may hold a password', () => {
    expect(() => readOptions([], { DATABASE_URL: 'mysql://root:hunter2@db' })).not.toThrow(/hunter2/);
  });
});

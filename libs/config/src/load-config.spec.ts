import { ConfigError, loadConfig } from './load-config';
import { POSTGRES_URL } from './rules';
import { ServiceConfig } from './service.config';

const fits = { HTTP_PORT: '8080', NATS_URL: 'nats://127.0.0.1:4222' };

describe('loadConfig', () => {
  it('converts numbers and keeps defaults', () => {
    const config = loadConfig(ServiceConfig, fits);
    expect(config.httpPort).toBe(8080);
    expect(config.logLevel).toBe('info');
    expect(config.environment.keyPrefix).toBe('svc_test_');
  });

  it('counts an empty variable as absent', () => {
    expect(loadConfig(ServiceConfig, { ...fits, LOG_LEVEL: '' }).logLevel).toBe('info');
    // As a number it would be 0.
    expect(() => loadConfig(ServiceConfig, { ...fits, HTTP_PORT: ' ' })).toThrow(/HTTP_PORT: it is required/);
  });

  it('names every variable that does not fit, never its value', () => {
    const load = () =>
      loadConfig(ServiceConfig, { HTTP_PORT: 'sixty', NATS_PASSWORD: 'hunter2', LOG_LEVEL: 'hunter2' });
    expect(load).toThrow(ConfigError);
    try {
      load();
    } catch (error) {
      const { message } = error as Error;
      expect(message).toMatch(/HTTP_PORT: it must be an integer number/);
      expect(message).toMatch(/NATS_URL: it is required/);
      expect(message).toMatch(/LOG_LEVEL: /);
      expect(message).not.toMatch(/sixty|hunter2/);
    }
  });

  it.each(['http://nats:4222', 'ws://nats', 'nats://', 'nats://a,http://b', 'nats://a,,nats://b'])(
    'refuses %s as NATS_URL, which would be asked for ever',
    (natsUrl) => {
      const load = () => loadConfig(ServiceConfig, { ...fits, NATS_URL: natsUrl });
      expect(load).toThrow(/NATS_URL: .*nats:\/\/ or tls:\/\//);
    },
  );

  it.each(['nats:4222', 'nats://a:4222/', 'tls://u:p@a, nats://[::1]:4222'])(
    'takes %s as NATS_URL',
    (natsUrl) => {
      expect(loadConfig(ServiceConfig, { ...fits, NATS_URL: natsUrl }).natsUrl).toBe(natsUrl);
    },
  );

  it.each(['secret\n', ' secret', 'secret\r\n', '\tsecret '])(
    'refuses %j as a secret, and does not show it',
    (secret) => {
      const load = () => loadConfig(ServiceConfig, { ...fits, NATS_PASSWORD: secret });
      expect(load).toThrow(/NATS_PASSWORD: must not begin or end with spaces or a line end/);
      expect(load).not.toThrow(/secret/);
    },
  );

  it.each(['x', 'four words of one', 'pässwörd'])('takes %j as a secret', (secret) => {
    expect(loadConfig(ServiceConfig, { ...fits, NATS_PASSWORD: secret }).natsPassword).toBe(secret);
  });

  it.each([
    'postgresql://a,b/svc',
    'postgresql://u:p@a:5432,b:5432/svc?target_session_attrs=read-write',
    'postgresql:///svc?user=u&host=a,b',
    'postgresql:///svc?host=a%2Cb',
    'mysql://u:p@a/svc',
  ])('refuses %s as a database, which the driver would not find', (url) => {
    expect(url).not.toMatch(POSTGRES_URL.pattern);
  });

  it.each([
    'postgres://a',
    'postgresql://u:p@a:5432/svc?sslmode=require',
    'postgresql://u:p,w@[::1]:5432/svc?application_name=x,y',
    'postgresql:///svc?host=/run/postgresql',
  ])('takes %s as a database', (url) => {
    expect(url).toMatch(POSTGRES_URL.pattern);
  });

  it('says which bound a number is beyond', () => {
    const load = () => loadConfig(ServiceConfig, { ...fits, HTTP_PORT: '65536' });
    expect(load).toThrow(/HTTP_PORT: it must not be greater than 65535/);
  });
});

import { loadConfig } from '@svc/config';
import { MigrateConfig, SeedConfig } from './setup.config';

describe('configuration of the steps', () => {
  it.each(['mysql://database.test/svc', 'database.test:5432', 'svc'])(
    'refuses %s as DATABASE_URL',
    (databaseUrl) => {
      const load = () => loadConfig(MigrateConfig, { DATABASE_URL: databaseUrl });
      expect(load).toThrow(/DATABASE_URL: .*must be a postgresql:\/\/ URL/);
    },
  );

  it('refuses what is no NATS server as NATS_URL', () => {
    const load = () => loadConfig(SeedConfig, { NATS_URL: 'http://nats.test:4222' });
    expect(load).toThrow(/NATS_URL: .*nats:\/\/ or tls:\/\//);
  });
});

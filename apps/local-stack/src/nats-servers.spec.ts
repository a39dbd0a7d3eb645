import { forEachNatsUser } from '@svc/local-servers';
import { natsServersFor, readNatsServers, withCredentials } from './nats-servers';

describe('readNatsServers', () => {
  it.each([
    ['nats://nats.test:4222', { natsUrl: 'nats://nats.test:4222' }],
    ['nats://a.test:4222, tls://b.test', { natsUrl: 'nats://a.test:4222,tls://b.test' }],
    [
      'nats://any:p%2Cw@a.test:4222,nats://b.test:4222',
      { natsUrl: 'nats://a.test:4222,nats://b.test:4222', natsUser: 'any', natsPassword: 'p,w' },
    ],
  ])('reads %s', (text, expected) => {
    expect(readNatsServers(text)).toEqual(expected);
  });

  it.each([
    ['http://any:hunter2@a.test', /must be a URL that begins with nats:\/\/ or tls:\/\/, or several/],
    ['nats://any:hunter2@a.test:4222,b.test:4222', /must be a URL that begins with nats:\/\//],
    ['nats://any:hunter2@a.test:4222,', /must be a URL that begins with nats:\/\//],
    ['nats://any:hunter2@a.test:4222,nats://any:hunter3@b.test', /the same user and password/],
    ['nats://any:100%hunter@a.test:4222', /must have each % of its user and password written as %25/],
  ])('refuses %s without repeating it', (text, message) => {
    expect(() => readNatsServers(text)).toThrow(message);
    expect(() => readNatsServers(text)).not.toThrow(/hunter/);
  });
});

describe('natsServersFor', () => {
  const local = 'nats://setup:its-own@127.0.0.1:4222';
  const passwords = forEachNatsUser((user) => `${user}-made`);
  const natsUrl = 'nats://a.test:4222,nats://b.test:4222';
  const given = 'nats://any:shared@a.test:4222,nats://any:shared@b.test:4222';

  it('is the user itself at the local server', () => {
    const env = { NATS_GATEWAY_PASSWORD: 'of another server' };
    expect(natsServersFor('gateway', { given: undefined, local, passwords }, env)).toEqual({
      ...{ natsUrl: 'nats://127.0.0.1:4222', natsUser: 'gateway', natsPassword: 'gateway-made' },
    });
  });

  it.each([
    ['the user whose password is given too', given, 'gateway', 'its-given'],
    ['the user whose password is given, without one in the URLs', natsUrl, 'gateway', 'its-given'],
    ['whom the URLs name', given, 'any', 'shared'],
    ['nobody where they name none', natsUrl, undefined, undefined],
  ])('is at several given servers %s', (_, urls, natsUser, natsPassword) => {
    const env = natsUser === 'gateway' ? { NATS_GATEWAY_PASSWORD: natsPassword } : {};
    const servers = natsServersFor('gateway', { given: urls, local, passwords }, env);
    expect(servers).toEqual({ natsUrl, natsUser, natsPassword });
  });
});

describe('withCredentials', () => {
  it('says to each server who one is, so that it reads back the same', () => {
    const natsUrl = 'nats://a.test:4222,tls://b.test:4222';
    const text = withCredentials(natsUrl, 'any', 'p,w/@');
    expect(text).toBe('nats://any:p%2Cw%2F%40@a.test:4222,tls://any:p%2Cw%2F%40@b.test:4222');
    expect(readNatsServers(text)).toEqual({ natsUrl, natsUser: 'any', natsPassword: 'p,w/@' });
  });
});

import { readNatsServers, withCredentials } from './nats-servers';

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
  ])('refuses %s without repeating it', (text, message) => {
    expect(() => readNatsServers(text)).toThrow(message);
    expect(() => readNatsServers(text)).not.toThrow(/hunter/);
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

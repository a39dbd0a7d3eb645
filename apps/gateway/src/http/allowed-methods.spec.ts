import Fastify from 'fastify';
import { AllowedMethods } from './allowed-methods';

describe('AllowedMethods', () => {
  const methods = new AllowedMethods();
  const instance = Fastify();
  methods.follow(instance);
  const handler = () => '';
  instance.get('/v1/things', handler);
  instance.post('/v1/things', handler);
  instance.post('/v1/things/:id/stop', handler);
  instance.get('/v1/people/:wallet', handler);
  instance.get('/v1/people/:wallet/sums', handler);
  instance.get('/v1/runs/:run_id', handler);
  instance.get('/v1/files/*', handler);
  instance.get('/docs/openapi.json', handler);

  it.each([
    ['/v1/things', 'GET, HEAD, POST'],
    ['/v1/things?x=/v1/people/a', 'GET, HEAD, POST'],
    ['/%76%31/things?x=%zz', 'GET, HEAD, POST'],
    ['/v1/things/', undefined],
    ['/v1/things/a', undefined],
    ['/v1/things/a/stop', 'POST'],
    ['/v1/things//stop', undefined],
    ['/v1/things/a/b/stop', undefined],
    ['/v1/people/a', 'GET, HEAD'],
    ['/v1/people/a/sums', 'GET, HEAD'],
    ['/v1/people/a/b', undefined],
    ['/v1/runs/a', 'GET, HEAD'],
    ['/v1/files/', undefined],
    ['/v1/files/a/b@1', 'GET, HEAD'],
    ['/docs/openapi.json', 'GET, HEAD'],
    ['/docs/openapixjson', undefined],
    ['/', undefined],
  ])('%s takes %s', (url, allowed) => {
    expect(methods.of(url)).toBe(allowed);
  });
});

import { routedPath, withoutEmptySegments } from './request-path';

describe('routedPath', () => {
  it.each([
    ['/portal/api/session', '/portal/api/session'],
    ['/portal/api/session?x=1', '/portal/api/session?x=1'],
    ['/%70ortal/%61pi/session?x=%zz', '/portal/api/session'],
    ['/%76%31/chat/completions#%zz', '/v1/chat/completions'],
    ['http://host/portal/', '/portal/'],
    ['https://user@host:1/%70ortal/?x', '/portal/'],
    ['HTTP://host/portal/', 'HTTP://host/portal/'],
    ['/portal%2Fapi', '/portal%2Fapi'],
    ['/%2570ortal', '/%70ortal'],
    ['/%zz', '/%zz'],
    ['*', '*'],
    ['', ''],
  ])('of %s is %s', (url, path) => {
    expect(routedPath(url)).toBe(path);
  });
});

describe('withoutEmptySegments', () => {
  it.each([
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/v1//chat/completions', '/v1/chat/completions'],
    ['//v1/models', '/v1/models'],
    ['///v1////models//', '/v1/models/'],
    ['//v1/models?next=a//b', '/v1/models?next=a//b'],
    ['/v1/models?next=a//b', '/v1/models?next=a//b'],
    ['/v1//models#a//b', '/v1/models#a//b'],
    ['/v1%2F/models', '/v1%2F/models'],
    ['http://host//v1/models', 'http://host//v1/models'],
    ['*', '*'],
    ['', ''],
  ])('of %s is %s', (url, plain) => {
    expect(withoutEmptySegments(url)).toBe(plain);
  });
});

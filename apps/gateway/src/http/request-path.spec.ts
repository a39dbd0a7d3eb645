import { routedPath, plainUrl } from './request-path';

describe('routedPath', () => {
  it.each([
    ['/portal/api/session', '/portal/api/session'],
    ['/portal/api/session?x=1', '/portal/api/session?x=1'],
    ['/%70ortal/%61pi/session?x=%zz', '/portal/api/session'],
    ['/%76%31/chat/completions#%zz', '/v1/chat/completions'],
    ['/portal%2Fapi', '/portal%2Fapi'],
    ['/%2570ortal', '/%70ortal'],
    ['/%zz', '/%zz'],
    ['*', '*'],
    ['', ''],
  ])('of %s is %s', (url, path) => {
    expect(routedPath(url)).toBe(path);
  });
});

describe('plainUrl', () => {
  it.each([
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/v1//chat/completions', '/v1/chat/completions'],
    ['//v1/models', '/v1/models'],
    ['///v1////models//', '/v1/models/'],
    ['//v1/models?next=a//b', '/v1/models?next=a//b'],
    ['/v1/models?next=a//b', '/v1/models?next=a//b'],
    ['/v1//models#a//b', '/v1/models#a//b'],
    ['/v1%2F/models', '/v1%2F/models'],
    ['http://host/v1/models', '/v1/models'],
    ['http://host//v1/models?next=a//b', '/v1/models?next=a//b'],
    ['HTTPS://user:word@[::1]:8080/v1/models', '/v1/models'],
    ['http://host', '/'],
    ['http://host?next=/v1', '/?next=/v1'],
    ['http:///v1/models', '/v1/models'],
    ['http://host/http://other/v1', '/http:/other/v1'],
    ['/http://other/v1', '/http:/other/v1'],
    ['ftp://host//v1', 'ftp://host//v1'],
    ['host:443', 'host:443'],
    ['*', '*'],
    ['', ''],
  ])('of %s is %s', (url, plain) => {
    expect(plainUrl(url)).toBe(plain);
  });
});

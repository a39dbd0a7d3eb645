import { routedPath } from './request-path';

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

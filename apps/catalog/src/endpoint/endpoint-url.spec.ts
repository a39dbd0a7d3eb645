import { requireEndpointUrl } from './endpoint-url';

describe('requireEndpointUrl', () => {
  it.each([
    'https://models.example/v1',
    'http://127.0.0.1:8000/v1',
    'http://[::1]:8000',
    'https://models.example/a%20b/v1/',
  ])('takes %s', (endpoint) => expect(() => requireEndpointUrl(endpoint)).not.toThrow());

  it.each([
    'https://name@models.example/v1',
    'https://name:word@models.example/v1',
    'https://:word@models.example/v1',
    'https://models.example/v1#x',
    'https://models.example/v1#',
    'https://models.example/v1?key=x',
    'https://models.example/v1?',
    'https://models.example/v1 x',
    'https://models.example/v1\n',
    'https://models.example\\@evil.example/v1',
    'https://models.example/\u202e',
    'https://models.example:99999/v1',
    'https://[::1/v1',
    'ftp://models.example/v1',
  ])('refuses %j', (endpoint) =>
    expect(() => requireEndpointUrl(endpoint)).toThrow(/^The endpoint must .+\.$/),
  );
});

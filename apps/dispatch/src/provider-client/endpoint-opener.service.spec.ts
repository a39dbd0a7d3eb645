import { CredentialSealer, credentialPublicKeyOf, generateCredentialKey } from '@svc/credential-seal';
import type { DispatchConfig } from '../dispatch.config';
import { endpointOf } from './endpoint';
import { EndpointOpener } from './endpoint-opener.service';

describe('endpointOf', () => {
  it.each([
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080', '/v1/chat/completions', '/v1/models'],
    ['https://p.example/api/v1/', 'https://p.example', '/api/v1/chat/completions', '/api/v1/models'],
    ['https://p.example', 'https://p.example', '/chat/completions', '/models'],
    ['https://P.Example/v1?key=1#x', 'https://p.example', '/v1/chat/completions?key=1', '/v1/models?key=1'],
  ])('%s', (baseUrl, origin, completionsPath, modelsPath) => {
    expect(endpointOf(baseUrl)).toEqual({ origin, completionsPath, modelsPath });
  });

  it.each([
    'ftp://p.example/v1',
    'http://user:pass@p.example/v1',
    'p.example',
    'http://',
    'http://[fe80::1%25eth0]/',
  ])('refuses %s', (baseUrl) => {
    expect(endpointOf(baseUrl)).toBeUndefined();
  });
});

describe('EndpointOpener', () => {
  const provider = `0x${'a'.repeat(40)}`;
  const endpoint = 'https://p.example/v1';
  const [key, before] = [generateCredentialKey(), generateCredentialKey()];
  const opener = new EndpointOpener({
    credentialKey: key,
    previousCredentialKey: before,
  } as DispatchConfig);
  const seal = (credential: string, by = key) =>
    new CredentialSealer(credentialPublicKeyOf(by)).seal({ provider, endpoint }, credential);

  it.each([
    ['this key', key],
    ['the one before', before],
  ])('opens what is sealed for %s', (_, by) => {
    const opened = opener.open({ provider, endpoint, credential: seal('tok en/+=', by) });
    expect(opened.target?.authorization).toBe('Bearer tok en/+=');
  });

  it('leaves an endpoint without a credential alone', () => {
    expect(opener.open({ provider, endpoint })).toEqual({ target: endpointOf(endpoint) });
  });

  it.each([
    ['for another key', seal('token', generateCredentialKey())],
    ['that is none', 'nonsense'],
    ['that is empty', ''],
    ['with a line end', seal('token\r\nx-evil: 1')],
    ['beyond ASCII', seal('tökén')],
    ['that is no text', 7],
    ['that is nothing', null],
    ['that is said to be long', { length: 1e12 }],
  ])('has no target for a seal %s', (_, credential) => {
    expect(opener.open({ provider, endpoint, credential })).toEqual({ problem: 'credential_unreadable' });
    expect(opener.needsFormerKey({ provider, endpoint, credential })).toBe(false);
  });

  it('has no target for a seal of another endpoint or provider', () => {
    const credential = seal('token');
    for (const signed of [
      { provider, endpoint: 'https://p.example/v2', credential },
      { provider: `0x${'b'.repeat(40)}`, endpoint, credential },
    ]) {
      expect(opener.open(signed)).toEqual({ problem: 'credential_unreadable' });
    }
    expect(opener.open({ provider, endpoint: 'nonsense', credential })).toEqual({
      problem: 'endpoint_invalid',
    });
  });
});

import { firstRequestSamples } from './first-request-samples';

const options = { baseUrl: 'http://127.0.0.1:8080/v1', model: 'svc/demo@1', shownKey: 'svc_test_…' };

describe('firstRequestSamples', () => {
  it('shows no more of a key than its beginning, and copies a command that works as it is', () => {
    const key = `svc_test_${'a'.repeat(49)}`;
    const samples = firstRequestSamples({ ...options, key });
    const curl = samples.find(({ label }) => label === 'curl');
    expect(samples.map(({ code }) => code).join('\n')).not.toContain(key);
    expect(curl?.code).toContain('export SVC_API_KEY=svc_test_aaaa…\ncurl ');
    expect(curl?.copyCode).toContain(`export SVC_API_KEY=${key}\ncurl ${options.baseUrl}/chat/completions`);
  });

  it('says where a key goes when none is known', () => {
    const [curl] = firstRequestSamples({ ...options, key: undefined });
    expect(curl?.copyCode).toContain('export SVC_API_KEY=svc_test_…\n');
  });
});

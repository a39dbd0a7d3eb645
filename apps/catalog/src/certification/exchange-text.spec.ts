import { KEPT_BYTES, publicText } from './exchange-text';

describe('publicText', () => {
  const shown = publicText('https://gpu-7.provider.example:8443/v1', 'qwen3:8b');

  it('does not say where the endpoint is', () => {
    expect(shown('POST https://gpu-7.provider.example:8443/v1/chat/completions failed')).toBe(
      'POST [endpoint]/chat/completions failed',
    );
    expect(
      shown('{"url":"https:\\/\\/gpu-7.provider.example:8443\\/v1","host":"GPU-7.provider.example"}'),
    ).toBe('{"url":"[endpoint]","host":"[endpoint]"}');
    const six = publicText('http://[2001:db8::1]:80/v1', 'x');
    expect(six('at [2001:db8::1]:80, ECONNREFUSED 2001:db8::1:80')).not.toContain('2001:db8');
    const hidden = publicText('https://a.example/t-8f3c21/v1/', 'x');
    expect(hidden('Cannot POST /t-8f3c21/v1/chat/completions')).toBe(
      'Cannot POST [endpoint]/chat/completions',
    );
  });

  it('does not say what it calls its model', () => {
    expect(shown('{"model":"qwen3:8b"} model qwen3:8b, not qwen3:8b-q4')).toBe(
      '{"model":"[model]"} model [model], not qwen3:8b-q4',
    );
    const short = publicText('https://a.example/v1', 'a/b');
    expect(short('{"model": "a/b", "x": "a/b"} "model":"a\\/b"')).toBe(
      '{"model": "[model]", "x": "a/b"} "model":"[model]"',
    );
  });

  it('shows no credential', () => {
    expect(shown('Incorrect API key provided: sk-proj-abcdefgh12345678.')).toBe(
      'Incorrect API key provided: [credential].',
    );
    expect(shown('{"authorization":"Bearer abc.def-123456"}')).toBe('{"authorization":"[credential]"}');
  });

  it('keeps what can be stored, and no more than some kilobytes', () => {
    expect(shown('a\0b\ud800c')).toBe('a\uFFFDb\uFFFDc');
    const long = shown('é€'.repeat(4_000));
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(KEPT_BYTES);
    expect(long).toMatch(/^(?:é€)+é? \[…\]$/);
  });
});

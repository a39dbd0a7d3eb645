import { redact } from './redact';

describe('redact', () => {
  it.each([
    ['svc_test_0123456789abcdefWXYZ', 'svc_test_…WXYZ'],
    ['key_0123456789_abc.defWXYZ', 'key…WXYZ'],
  ])('cuts %s to what tells keys apart', (key, shown) => {
    expect(redact(`authorization: Bearer ${key}`)).toBe(`authorization: Bearer ${shown}`);
    expect(redact(`{"authorization":"bearer ${key}"}`)).toBe(`{"authorization":"bearer ${shown}"}`);
  });

  it('leaves what is no key', () => {
    const text = 'authorization: Bearer nonsense, and a bearer of news';
    expect(redact(text)).toBe(text);
  });
});

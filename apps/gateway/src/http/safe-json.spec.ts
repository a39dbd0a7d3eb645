import { safeJson } from './safe-json';

describe('safeJson', () => {
  it('means the same and holds nothing that a page would take for its own', () => {
    const value = { name: '</script><script>alert(1)</script>', other: 'a & b\u2028\u2029"\\<!--' };
    const text = safeJson(value);
    expect(text).not.toMatch(/[<>&\u2028\u2029]/);
    expect(JSON.parse(text)).toEqual(value);
  });
});

import { completionIdOf, createdOf, newRequestId } from './request-ids';

describe('request ids', () => {
  it('sort by time, differ, and fit where ids go', () => {
    const ids = [1, 35, 36, 1_700_000_000_000, 1_800_000_000_000].map((nowMs) => newRequestId(nowMs));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(Array.from({ length: 1_000 }, () => newRequestId(1))).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{33}$/);
    expect(ids.map(createdOf)).toEqual([0, 0, 0, 1_700_000_000, 1_800_000_000]);
    expect(completionIdOf('req_abc')).toBe('chatcmpl-abc');
  });
});

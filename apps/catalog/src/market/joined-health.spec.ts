import { joinedHealth } from './joined-health';

describe('joinedHealth', () => {
  it('weighs each offer by how much it was asked', () => {
    const busy = { weight: 3, errorRate: 0, invalidRate: 0, firstTokenMs: 100, tokensPerSecond: 40 };
    const idle = { weight: 1, errorRate: 1, invalidRate: 0.4 };
    expect(joinedHealth([busy, idle])).toEqual({
      errorRate: 0.25,
      invalidRate: 0.1,
      firstTokenMs: 100,
      tokensPerSecond: 40,
    });
  });

  it('says nothing of what nobody knows', () => {
    expect(joinedHealth([])).toEqual({});
    expect(joinedHealth([{ weight: 0 }])).toEqual({});
  });
});

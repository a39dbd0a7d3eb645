import { before, costOf, edited, openCallsOf, repliesGone } from './conversation';
import type { AssistantTurn, Turn } from './conversation';

const user = (id: string, content = id): Turn => ({ role: 'user', id, content });
function reply(id: string, changes: Partial<AssistantTurn> = {}): AssistantTurn {
  return {
    role: 'assistant',
    id,
    content: 'Hi',
    thoughts: '',
    toolCalls: [],
    state: 'done',
    facts: { model: 'm' },
    ...changes,
  };
}
const paid = (cost_usdc: string) => ({ facts: { model: 'm', svc: { cost_usdc, provider: '0x1' } } });
const call = (id: string) => ({ id, name: 'get_weather', arguments: '{}' });

describe('a conversation', () => {
  const turns = [user('a'), reply('b'), user('c'), reply('d')];

  it('goes back to before a turn', () => {
    expect(before(turns, 'c').map(({ id }) => id)).toEqual(['a', 'b']);
    expect(before(turns, 'unknown')).toEqual(turns);
  });

  it('is another one from a turn that was edited', () => {
    expect(edited(turns, 'c', 'other')).toEqual([user('a'), reply('b'), user('c', 'other')]);
    expect(edited(turns, 'b', 'other')).toEqual(turns);
  });

  it('tells which replies are gone as it goes on', () => {
    const next = [...before(turns, 'd'), reply('e')];
    expect(repliesGone(turns, next).map(({ id }) => id)).toEqual(['d']);
    expect(repliesGone(turns, edited(turns, 'a', 'other')).map(({ id }) => id)).toEqual(['b', 'd']);
    expect(repliesGone(turns, [...turns, user('e')])).toEqual([]);
  });

  it('has calls open until each is answered', () => {
    const calling = reply('b', { toolCalls: [call('1'), call('2')] });
    const answer: Turn = { role: 'tool', id: 't', toolCallId: '1', name: 'get_weather', content: '{}' };
    expect(openCallsOf([user('a'), calling]).map(({ id }) => id)).toEqual(['1', '2']);
    expect(openCallsOf([user('a'), calling, answer]).map(({ id }) => id)).toEqual(['2']);
    expect(openCallsOf([user('a'), calling, answer, { ...answer, toolCallId: '2' }])).toEqual([]);
    expect(openCallsOf([user('a'), { ...calling, state: 'streaming' }])).toEqual([]);
    expect(openCallsOf([])).toEqual([]);
  });

  it('sums up to the last base unit what its replies cost', () => {
    const many = [
      reply('a', paid('0.000001')),
      reply('b', paid('9007199254.740993')),
      reply('c', paid('0.000000')),
    ];
    const stopped = reply('d', { state: 'stopped' });
    expect(costOf([...many, stopped, user('e')])).toEqual({
      base: 9_007_199_254_740_994n,
      replies: 3,
      unknown: 1,
    });
  });
});

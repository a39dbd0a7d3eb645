import {
  MOST_GATHERED_CALLS,
  gatheredError,
  gatheredResult,
  gatheredCall,
  holdsGathered,
  readGatheredAnswers,
  readGatheredCalls,
} from './gathered-calls';

const NOTHING_KNOWN = { deadlineMs: undefined, requestId: undefined, traceparent: undefined };

describe('calls gathered in one message', () => {
  it('are the same text for every version, and come back as they were', () => {
    const context = { deadlineMs: 7, requestId: 'req_"1"', traceparent: '00-ab-cd-01' };
    const text = `[${gatheredCall('{"a":1}', context)},${gatheredCall('{}', {})}]`;
    expect(text).toBe(String.raw`[[7,"req_\"1\"","00-ab-cd-01",{"a":1}],[0,null,null,{}]]`);
    expect(readGatheredCalls(JSON.parse(text))).toEqual([
      { context, request: { a: 1 } },
      { context: NOTHING_KNOWN, request: {} },
    ]);
  });

  it('are told from a call by itself', () => {
    expect(['[[', '{"a":[]}', '', ' ['].map((text) => holdsGathered(Buffer.from(text)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('are as many as agreed, each of its four parts', () => {
    const calls = (count: number) => Array.from({ length: count }, () => [0, null, null, {}]);
    expect(readGatheredCalls(calls(MOST_GATHERED_CALLS))).toHaveLength(MOST_GATHERED_CALLS);
    const none = [
      [],
      calls(MOST_GATHERED_CALLS + 1),
      {},
      null,
      [{}],
      [[0, null, {}]],
      [[0, null, null, {}, 1]],
    ];
    for (const message of none) expect(readGatheredCalls(message)).toBeUndefined();
  });

  it('say nothing by what is no deadline, id or trace', () => {
    for (const odd of [
      ['7', 1, 2, {}],
      [-1, {}, [], {}],
    ]) {
      expect(readGatheredCalls([odd])).toEqual([{ context: NOTHING_KNOWN, request: {} }]);
    }
  });
});

describe('answers gathered in one message', () => {
  it('are the same text for every version, and come back as they were', () => {
    const late = gatheredError(1, '{"code":"y"}', 7);
    const text = `[${gatheredResult(3, '{"a":1}')},${gatheredError(0, '{"code":"x"}')},${late}]`;
    expect(text).toBe('[[3,0,{"a":1}],[0,1,{"code":"x"}],[1,1,{"code":"y"},7]]');
    expect(readGatheredAnswers(JSON.parse(text))).toEqual([
      { index: 3, result: { a: 1 } },
      { index: 0, error: { code: 'x' } },
      { index: 1, error: { code: 'y' }, clockMs: 7 },
    ]);
  });

  it.each([[{}], [[{}]], [[['0', 0, {}]]], [null]])('are none in %j', (message) => {
    expect(readGatheredAnswers(message)).toBeUndefined();
  });
});

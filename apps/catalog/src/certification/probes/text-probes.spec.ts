import { judgeMaxTokens } from './max-tokens.probe';
import { AT_HAND, TERMS, bothWays, called, failing, replied } from './observation.for-spec';
import { judgePlainText } from './plain-text.probe';
import type { Question } from './probe';
import { judgeStop, middleWordOf } from './stop.probe';
import { deltasIn, judgeStreamText, streamText } from './stream-text.probe';

/** As an OpenAI-compatible server streams: a role first, then words, then the end and the usage. */
const STREAM = [
  'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}',
  'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"1, 2"},"finish_reason":null}]}',
  ': keep-alive',
  'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":", 3"},"finish_reason":null}]}',
  'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}',
  'data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":24}}',
  'data: [DONE]',
].join('\n\n');

describe('plain_text', () => {
  const judge = (observation = replied()) => judgePlainText([{ stream: false, observation }], TERMS);

  it('passes a short text, and a model that was still thinking', () => {
    expect(judge()).toEqual({ passed: true, figures: { plainMs: 650 } });
    expect(judge(replied({ content: '', finishReason: 'length', outputBytes: 900 })).passed).toBe(true);
  });

  it.each([
    [replied({ content: '  ' }), 'its reply was empty'],
    [
      replied({ content: null, finishReason: 'content_filter' }),
      'it answered with finish_reason "content_filter"',
    ],
    [replied({ content: 'read\uFFFDy' }), 'its reply held bytes that are not UTF-8'],
    [called({ name: 'f', arguments: '{}' }), 'it answered with a tool call'],
    [failing('connect_failed'), 'no connection could be made'],
    [failing('status_4xx', { status: 401 }), 'it answered with status 401: it wants a token, or another one'],
    [
      failing('status_4xx', { status: 404 }),
      'it answered with status 404: nothing is at that path, or no model of that name',
    ],
    [failing('status_4xx', { status: 403 }), 'it answered with status 403'],
    [failing('status_429', { status: 429 }), 'it answered with status 429: too many requests'],
    [failing('redirect', { status: 307 }), 'it answered with a redirect (status 307), and none is followed'],
    [failing('first_token_timeout'), 'no token came within 5000 ms, its own limit for the first one'],
    [failing('total_timeout'), 'it had not come to an end after 650 ms'],
    [failing('content_encoding', {}, 'invalid'), 'its reply was compressed, which was not asked for'],
    [failing('not_json', {}, 'invalid'), 'its reply was not JSON'],
    [failing('too_large', { receivedBytes: 0 }, 'invalid'), 'its header was too large, or its reply was'],
    [failing('wordless', {}, 'invalid'), 'its reply said nothing at all'],
    [failing('a_new_word'), 'it failed (a new word)'],
    [failing('constructor'), 'it failed (constructor)'],
  ])('says what came instead (%#)', (observation, came) => {
    expect(judge(observation)).toMatchObject({ passed: false, message: `Asked for a short text, ${came}.` });
  });
});

describe('stream_text', () => {
  const counted = (changes = {}) =>
    replied(
      { content: '1, 2, 3', finishReason: 'length', outputBytes: 70 },
      { received: STREAM, ...changes },
    );

  it('counts the events that carry text', () => {
    expect(deltasIn(STREAM)).toBe(2);
    expect(deltasIn(STREAM.replaceAll('"content":"1', '"reasoning_content":"1'))).toBe(2);
    expect(deltasIn(STREAM.replaceAll('"content":"1', '"reasoning":"1'))).toBe(2);
    const thought = '"content":[{"type":"thinking","thinking":[{"type":"text","text":"1, 2"}]}]';
    expect(deltasIn(STREAM.replace('"content":"1, 2"', thought))).toBe(2);
    expect(deltasIn(STREAM.replaceAll('\n', '\r\n').slice(0, 500))).toBe(2);
    expect(deltasIn('data: {"choices":\n\ndata: null\n\ndata: 1')).toBe(0);
  });

  it('measures the first token and the speed after it, by believable claims', () => {
    const usage = (completionTokens: number) =>
      replied(
        { outputBytes: 70, usage: { promptTokens: 30, completionTokens } },
        { received: STREAM, firstTokenMs: 150.4, totalMs: 610.4 },
      );
    expect(judgeStreamText(usage(24), TERMS)).toEqual({
      passed: true,
      figures: { deltas: 2, firstTokenMs: 150, tokensPerSecond: 50 },
    });
    expect(judgeStreamText(usage(9_000), TERMS).figures.tokensPerSecond).toBe(150);
    expect(
      judgeStreamText(counted({ firstTokenMs: 100, totalMs: 1_100 }), TERMS).figures.tokensPerSecond,
    ).toBe(17);
    expect(judgeStreamText(counted({ totalMs: 150 }), TERMS).figures.tokensPerSecond).toBeLessThanOrEqual(
      1_000_000,
    );
  });

  it('asks a server for more that hands on by the dozen, before it calls that one piece', async () => {
    const chunked = counted({ received: STREAM });
    const onePiece = counted({ received: STREAM.slice(0, 300), totalMs: 900 });
    const asked: number[] = [];
    const ask = ({ maxTokens }: Question) => {
      asked.push(maxTokens);
      return Promise.resolve(asked.length === 1 ? onePiece : chunked);
    };
    expect((await streamText.run({ ...AT_HAND, ask })).passed).toBe(true);
    expect(asked).toEqual([48, 96]);
  });

  it('takes thoughts that are only counted, of a model that thinks', () => {
    const thinking = { ...TERMS, reasoning: true };
    const hidden = replied(
      {
        content: '',
        finishReason: 'length',
        outputBytes: 0,
        usage: { promptTokens: 30, completionTokens: 48 },
      },
      { received: '', firstTokenMs: undefined, totalMs: 2_000 },
    );
    expect(judgeStreamText(hidden, thinking)).toMatchObject({
      passed: true,
      figures: { firstTokenMs: 2_000, tokensPerSecond: 24 },
    });
    expect(judgeStreamText(hidden, TERMS).message).toMatch(/its reply was empty/);
    // As of vLLM and Ollama under the other name.
    expect(deltasIn(STREAM.replaceAll('"content":', '"reasoning":'))).toBe(2);
  });

  it('fails a stream in one piece, and none', () => {
    const message = 'Asked for a text as a stream, the whole text of 70 bytes came in one piece.';
    const inOnePiece = counted({ received: STREAM.slice(0, 300), totalMs: 1_400 });
    expect(judgeStreamText(inOnePiece, TERMS)).toMatchObject({ passed: false, message });
    // It took that long to begin, not to write.
    expect(judgeStreamText(inOnePiece, TERMS, 900).passed).toBe(true);
    expect(judgeStreamText(failing('no_finish_reason'), TERMS).message).toBe(
      'Asked for a text as a stream, its reply ended without a finish_reason.',
    );
  });
});

describe('max_tokens', () => {
  const cut = { content: '1, 2, 3, 4, 5, 6', finishReason: 'length' };
  const judge = (reply: object) => judgeMaxTokens(bothWays(replied(reply)), TERMS);

  it('passes what is cut there, whether it says its usage or not', () => {
    expect(judge(cut).passed).toBe(true);
    expect(judge({ ...cut, usage: { promptTokens: 20, completionTokens: 16 } }).passed).toBe(true);
  });

  it.each([
    [{ ...cut, finishReason: 'stop' }, 'it ended with finish_reason "stop" instead of "length"'],
    [{ ...cut, outputBytes: 0 }, 'its reply was empty'],
    [{ ...cut, outputBytes: 2_390 }, 'it wrote 2390 bytes, more than so many tokens are'],
    [{ ...cut, usage: { promptTokens: 20, completionTokens: 18 } }, 'it claims 18 completion tokens'],
  ])('fails %j', (reply, came) => {
    expect(judge(reply).message).toBe(`Asked for a long text with max_tokens 16, ${came}.`);
  });

  it('says where only the stream is not cut', () => {
    const verdict = judgeMaxTokens(bothWays(replied(cut), replied({ ...cut, finishReason: 'stop' })), TERMS);
    expect(verdict.message).toMatch(/^Asked for a long text with max_tokens 16 as a stream, it ended/);
  });
});

describe('stop', () => {
  it('takes a word from the middle that is not to be found before', () => {
    const days = 'Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday';
    expect(middleWordOf(days)).toBe('Thursday');
    expect(middleWordOf(`Simulated reply: ${days}`)).toBe('Wednesday');
    expect(middleWordOf('day day day day day')).toBeUndefined();
    expect(middleWordOf('under understand under')).toBeUndefined();
    expect(middleWordOf('1, 2, 3')).toBeUndefined();
  });

  it('passes what ends before it, and fails what goes on or does not say so', () => {
    const judge = (reply: object) => judgeStop('Thursday', bothWays(replied(reply)), TERMS);
    expect(judge({ content: 'Monday, Tuesday, Wednesday, ' }).passed).toBe(true);
    expect(judge({ content: 'Monday, Thursday, Friday' }).message).toBe(
      'Asked with stop ["Thursday"], its reply held "Thursday" all the same.',
    );
    expect(judge({ content: 'Monday, ', finishReason: 'length' }).message).toBe(
      'Asked with stop ["Thursday"], it ended with finish_reason "length" instead of "stop".',
    );
  });
});

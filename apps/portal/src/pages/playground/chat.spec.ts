import { ApiError } from '../../api/api-error';
import type { ChatBody } from '../../code-samples/chat-samples';
import { Chat } from './chat';
import { FIRST_SETTINGS } from './settings';
import type { Settings } from './settings';
import { costOf } from './conversation';
import type { AssistantTurn } from './conversation';

const text = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const finish = (reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const bill = (cost_usdc: string) => ({
  choices: [],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  svc: { cost_usdc, provider: '0x1' },
});
const calls = (id: string) => ({
  choices: [
    {
      ...{ index: 0, finish_reason: null },
      delta: {
        tool_calls: [{ index: 0, id, type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
    },
  ],
});
const whole = [text('Hi '), text('there.'), finish('stop'), bill('0.000002')];

/** A reply whose stream the test writes. */
class Stream {
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly response: Response;

  constructor(readonly signal?: AbortSignal) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.controller = controller),
    });
    this.response = new Response(body, {
      headers: { 'x-svc-request-id': 'req_1', 'x-svc-hold-usdc': '0.000100' },
    });
    signal?.addEventListener('abort', () => this.controller.error(signal.reason));
  }

  send(...events: object[]): void {
    for (const event of events) this.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  write(raw: string): void {
    this.controller.enqueue(new TextEncoder().encode(raw));
  }

  end(): void {
    this.controller.close();
  }

  fail(): void {
    this.controller.error(new TypeError('network error'));
  }
}

class Scene {
  readonly bodies: ChatBody[] = [];
  readonly chat: Chat;
  stream = new Stream();
  private ms = 0;
  refusal: Error | undefined;

  constructor() {
    const ask = (body: ChatBody, signal: AbortSignal) => {
      this.bodies.push(body);
      if (this.refusal) return Promise.reject(this.refusal);
      this.stream = new Stream(signal);
      return Promise.resolve(this.stream.response);
    };
    this.chat = new Chat(ask, () => (this.ms += 100));
    this.chat.change({ model: 'svc/demo@1' });
  }

  get last(): AssistantTurn {
    const last = this.chat.state().turns.at(-1);
    if (last?.role !== 'assistant') throw new Error('no reply');
    return last;
  }

  /** Says something, and has it answered with these. */
  async say(words: string, events: object[] = whole): Promise<void> {
    const said = this.chat.send(words);
    await this.answerWith(said, events);
  }

  async answerWith(said: Promise<void>, events: object[] = whole): Promise<void> {
    await this.until(() => this.last.facts.requestId !== undefined);
    this.stream.send(...events);
    this.stream.write('data: [DONE]\n\n');
    this.stream.end();
    await said;
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  }
}

const roles = ({ chat }: Scene) => chat.state().turns.map(({ role }) => role);

describe('Chat', () => {
  it('gathers a reply as it streams, with what it cost and how fast it was', async () => {
    const scene = new Scene();
    const said = scene.chat.send('Hello');
    expect(scene.chat.state()).toMatchObject({
      isRunning: true,
      turns: [{ content: 'Hello' }, { state: 'streaming' }],
    });
    await scene.until(() => scene.last.facts.requestId === 'req_1');
    scene.stream.send(text('Hi '));
    await scene.until(() => scene.last.content === 'Hi ');
    scene.stream.write(': keep-alive\n\ndata: {"choi');
    scene.stream.write(`ces":[]}\n\n`);
    scene.stream.send(text('there.'), finish('stop'), bill('0.000002'));
    scene.stream.write('data: [DONE]\n\n');
    scene.stream.end();
    await said;
    expect(scene.chat.state().isRunning).toBe(false);
    expect(scene.last).toMatchObject({
      ...{ content: 'Hi there.', state: 'done' },
      facts: {
        ...{ model: 'svc/demo@1', requestId: 'req_1', holdUsdc: '0.000100', finishReason: 'stop' },
        svc: { cost_usdc: '0.000002', provider: '0x1' },
        usage: { total_tokens: 7 },
        firstTokenMs: expect.any(Number) as number,
        totalMs: expect.any(Number) as number,
      },
    });
  });

  it('gathers what the model thought apart, and sends it back with the reply', async () => {
    const scene = new Scene();
    const thought = (reasoning_content: string) => ({
      choices: [{ index: 0, delta: { reasoning_content }, finish_reason: null }],
    });
    await scene.say('Hello', [thought('A '), thought('greeting.'), ...whole]);
    expect(scene.last).toMatchObject({ thoughts: 'A greeting.', content: 'Hi there.' });
    await scene.say('And?');
    expect(scene.bodies[1]?.messages[1]).toEqual({
      ...{ role: 'assistant', content: 'Hi there.', reasoning_content: 'A greeting.' },
    });
  });

  it('sends the whole conversation each time', async () => {
    const scene = new Scene();
    await scene.say('One');
    await scene.say('Two');
    expect(scene.bodies[1]?.messages).toEqual([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Hi there.' },
      { role: 'user', content: 'Two' },
    ]);
  });

  it('stops when told, and keeps what was said', async () => {
    const scene = new Scene();
    const said = scene.chat.send('Hello');
    await scene.until(() => scene.last.facts.requestId !== undefined);
    scene.stream.send(text('Hi '));
    await scene.until(() => scene.last.content !== '');
    scene.chat.stop();
    await said;
    expect(scene.stream.signal?.aborted).toBe(true);
    expect(scene.last).toMatchObject({ content: 'Hi ', state: 'stopped' });
    expect(scene.chat.state().isRunning).toBe(false);
  });

  it('runs one request at a time', async () => {
    const scene = new Scene();
    const first = scene.chat.send('One');
    await scene.chat.send('Two');
    expect(scene.bodies).toHaveLength(1);
    await scene.answerWith(first);
    expect(roles(scene)).toEqual(['user', 'assistant']);
  });

  it('gives a reply anew, and answers other words', async () => {
    const scene = new Scene();
    await scene.say('One');
    await scene.say('Two');
    const [, first] = scene.chat.state().turns;
    await scene.answerWith(scene.chat.regenerate(first?.id ?? ''));
    expect(roles(scene)).toEqual(['user', 'assistant']);
    expect(scene.bodies[2]?.messages).toEqual([{ role: 'user', content: 'One' }]);
    const [said] = scene.chat.state().turns;
    await scene.answerWith(scene.chat.edit(said?.id ?? '', 'Other'));
    expect(scene.bodies[3]?.messages).toEqual([{ role: 'user', content: 'Other' }]);
  });

  it('counts what was paid for replies that are gone, until the conversation is forgotten', async () => {
    const scene = new Scene();
    await scene.say('One');
    await scene.say('Two');
    const [said, first] = scene.chat.state().turns;
    await scene.answerWith(scene.chat.regenerate(first?.id ?? ''));
    await scene.answerWith(scene.chat.edit(said?.id ?? '', 'Other'));
    const { turns, givenUp } = scene.chat.state();
    expect(costOf([...givenUp, ...turns])).toEqual({ base: 8n, replies: 4, unknown: 0 });
    scene.chat.clear();
    expect(scene.chat.state().givenUp).toEqual([]);
  });

  it('has calls answered by hand', async () => {
    const scene = new Scene();
    await scene.say('Call', [calls('call_1'), finish('tool_calls'), bill('0.000003')]);
    expect(scene.last.toolCalls).toEqual([{ id: 'call_1', name: 'f', arguments: '{"a":1}' }]);
    await scene.answerWith(scene.chat.answer(new Map([['call_1', '{"b":2}']])));
    expect(roles(scene)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(scene.bodies[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: '{"b":2}',
    });
  });

  it.each<Partial<Settings>>([
    { temperature: 'warm' },
    { tools: '[' },
    { format: 'json_schema', schema: '{' },
    { model: '' },
  ])('asks nothing in any way while the settings are %j, and keeps the conversation', async (broken) => {
    const scene = new Scene();
    await scene.say('One');
    await scene.say('Call', [calls('call_1'), finish('tool_calls'), bill('0.000003')]);
    const { turns } = scene.chat.state();
    scene.chat.change(broken);
    const [said, reply] = turns;
    await scene.chat.send('Two');
    await scene.chat.edit(said?.id ?? '', 'Other');
    await scene.chat.regenerate(reply?.id ?? '');
    await scene.chat.answer(new Map([['call_1', '{}']]));
    expect(scene.chat.state()).toMatchObject({ turns, isRunning: false });
    expect(scene.bodies).toHaveLength(2);
  });

  it('shows what was refused; what is said next takes its place', async () => {
    const scene = new Scene();
    scene.refusal = new ApiError('No provider now.', {
      ...{ code: 'no_capacity', status: 503, requestId: 'req_9', retryAfterSeconds: 7 },
    });
    await scene.chat.send('Hello');
    expect(scene.last).toMatchObject({
      state: 'failed',
      error: { code: 'no_capacity', message: 'No provider now.', status: 503, retryAfterSeconds: 7 },
      facts: { requestId: 'req_9' },
    });
    scene.refusal = undefined;
    await scene.say('Again');
    expect(roles(scene)).toEqual(['user', 'user', 'assistant']);
  });

  it('shows what failed in the middle', async () => {
    const scene = new Scene();
    const error = { message: 'It broke.', type: 'server_error', code: 'internal_error', param: null };
    await scene.say('Hello', [
      text('Hi '),
      { choices: [], error, svc: { cost_usdc: '0.000000', provider: '' } },
    ]);
    expect(scene.last).toMatchObject({
      ...{ state: 'failed', content: 'Hi ', error: { code: 'internal_error', message: 'It broke.' } },
      facts: { svc: { cost_usdc: '0.000000' } },
    });
  });

  it.each([
    ['ends too early', (stream: Stream) => stream.end()],
    ['breaks off', (stream: Stream) => stream.fail()],
  ])('says so when a stream %s', async (_, act) => {
    const scene = new Scene();
    const said = scene.chat.send('Hello');
    await scene.until(() => scene.last.facts.requestId !== undefined);
    scene.stream.send(text('Hi '));
    await scene.until(() => scene.last.content !== '');
    act(scene.stream);
    await said;
    expect(scene.last).toMatchObject({ state: 'failed', content: 'Hi ', error: { code: 'offline' } });
    expect(scene.chat.state().isRunning).toBe(false);
  });

  it('forgets the conversation when told, also while it is answered', async () => {
    const scene = new Scene();
    const said = scene.chat.send('Hello');
    await scene.until(() => scene.last.facts.requestId !== undefined);
    scene.chat.clear();
    await said;
    expect(scene.chat.state()).toMatchObject({
      turns: [],
      isRunning: false,
      settings: { model: 'svc/demo@1' },
    });
    await scene.say('Other');
    expect(roles(scene)).toEqual(['user', 'assistant']);
    scene.chat.reset();
    expect(scene.chat.state()).toEqual({
      ...{ turns: [], givenUp: [], isRunning: false, settings: FIRST_SETTINGS },
    });
  });

  it('keeps what is typed for who comes back, until it is sent or belongs to nobody any more', async () => {
    const scene = new Scene();
    const { drafts } = scene.chat;
    await scene.say('Call', [calls('call_1'), finish('tool_calls'), bill('0.000003')]);
    drafts.message = 'What about';
    drafts.answers = new Map([['call_1', '{"b":']]);
    await scene.answerWith(scene.chat.answer(new Map([['call_1', '{"b":2}']])));
    expect(drafts).toEqual({ message: 'What about', answers: new Map() });
    drafts.answers = new Map([['call_2', '{}']]);
    scene.chat.clear();
    expect(drafts).toEqual({ message: 'What about', answers: new Map() });
    scene.chat.reset();
    expect(drafts.message).toBe('');
  });

  it('takes events that are none of ours for nothing', async () => {
    const scene = new Scene();
    await scene.say('Hello', [{ ping: 1 }, { choices: 'no' }, ...whole]);
    expect(scene.last).toMatchObject({ content: 'Hi there.', state: 'done' });
  });
});

describe('a reply that was stopped', () => {
  it('says what it cost once that is known', async () => {
    const scene = new Scene();
    const said = scene.chat.send('Hello');
    await scene.until(() => scene.last.facts.requestId !== undefined);
    scene.chat.charged(scene.last.id, '0.000007');
    scene.chat.stop();
    await said;
    expect(scene.last.facts.chargedUsdc).toBeUndefined();
    scene.chat.charged(scene.last.id, '0.000007');
    expect(scene.last.facts.chargedUsdc).toBe('0.000007');
    expect(costOf(scene.chat.state().turns)).toEqual({ base: 7n, replies: 1, unknown: 0 });
  });
});

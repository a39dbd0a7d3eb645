import type { AssistantTurn, Turn } from './conversation';
import { bodyOf } from './request-body';
import { SAMPLE_SCHEMA, SAMPLE_TOOLS, withSample } from './sample-tools';
import { FIRST_SETTINGS } from './settings';
import type { Settings } from './settings';

const MODEL = 'svc/demo@1';
const hello: Turn = { role: 'user', id: '1', content: 'Hello' };
const settings = (changes: Partial<Settings> = {}): Settings => ({
  ...FIRST_SETTINGS,
  model: MODEL,
  ...changes,
});
const reply: Omit<AssistantTurn, 'id'> = {
  ...{ role: 'assistant', thoughts: '', content: '', toolCalls: [], state: 'done', facts: { model: MODEL } },
};

describe('bodyOf', () => {
  it('sends nothing that nobody chose', () => {
    expect(bodyOf(settings(), [hello])).toEqual({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    });
  });

  it('sends all that was chosen', () => {
    const all = settings({
      ...{
        system: 'Be short.',
        temperature: '0',
        topP: '0.9',
        maxTokens: '40',
        seed: '7',
        stop: ['END', '\\n\\n'],
      },
      ...{ format: 'json_schema', schema: SAMPLE_SCHEMA, tools: withSample('', SAMPLE_TOOLS[0]) },
      toolChoice: 'function:get_weather',
    });
    const body = bodyOf(all, [hello]);
    expect(body).toEqual({
      model: MODEL,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hello' },
      ],
      ...{ temperature: 0, top_p: 0.9, max_tokens: 40, seed: 7, stop: ['END', '\n\n'] },
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'reply', strict: true, schema: JSON.parse(SAMPLE_SCHEMA) as object },
      },
      tools: [SAMPLE_TOOLS[0].tool],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      stream: true,
    });
  });

  it('gives back what a server put beside its call', () => {
    const extraContent = { google: { thought_signature: 'x' } };
    const toolCalls = [{ id: 'call_1', name: 'f', arguments: '{}', extraContent }];
    expect(bodyOf(settings(), [{ ...reply, id: '1', toolCalls }]).messages).toEqual([
      {
        ...{ role: 'assistant', content: null },
        tool_calls: [
          {
            ...{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } },
            extra_content: extraContent,
          },
        ],
      },
    ]);
  });

  it('tells the whole conversation, calls and their answers, and no reply that failed or said nothing', () => {
    const toolCalls = [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Lisbon"}' }];
    const turns: Turn[] = [
      hello,
      { ...reply, id: '2', state: 'failed', content: 'half' },
      { ...reply, id: '3', state: 'stopped' },
      { ...reply, id: '4', toolCalls },
      { role: 'tool', id: '5', toolCallId: 'call_1', name: 'get_weather', content: '{"sky":"clear"}' },
      { ...reply, id: '6', state: 'stopped', content: 'It is' },
    ];
    const body = bodyOf(settings(), turns);
    expect(body.messages).toEqual([
      { role: 'user', content: 'Hello' },
      {
        ...{ role: 'assistant', content: null },
        tool_calls: [
          {
            ...{ id: 'call_1', type: 'function' },
            function: { name: 'get_weather', arguments: '{"city":"Lisbon"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"clear"}' },
      { role: 'assistant', content: 'It is' },
    ]);
  });
});

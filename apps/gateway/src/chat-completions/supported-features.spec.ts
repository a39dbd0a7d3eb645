import type { ModelView, ToolContract } from '@svc/contracts';
import { ENVIRONMENTS } from '@svc/environment';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { demoModel, toollessModel } from '../testing/models.for-spec';
import { unsupportedIn } from './supported-features';

const { testnet, production } = ENVIRONMENTS;
const base: ChatCompletionRequest = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hi' }] };
const tools: ChatCompletionRequest['tools'] = [{ type: 'function', function: { name: 'look_up' } }];

const calledBefore: ChatCompletionRequest['messages'][number] = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'a', type: 'function', function: { name: 'look_up', arguments: `{"a":"${'x'.repeat(5_000)}"}` } },
  ],
};
const result: ChatCompletionRequest['messages'][number] = {
  role: 'tool',
  content: 'found',
  tool_call_id: 'a',
};

function certified(contract: Partial<ToolContract>): ModelView {
  const full = demoModel.toolContract as ToolContract;
  return { ...demoModel, toolContract: { ...full, ...contract } };
}

function paramOf(
  fields: Partial<ChatCompletionRequest>,
  model: ModelView = demoModel,
  environment = testnet,
): string | undefined {
  const refusal = unsupportedIn({ ...base, ...fields }, model, environment);
  if (refusal) expect(refusal.code).toBe('feature_not_supported');
  return refusal?.param;
}

describe('what a model supports', () => {
  it.each<[string, Partial<ChatCompletionRequest>]>([
    ['nothing special', {}],
    ['a stream', { stream: true }],
    ['one choice', { n: 1 }],
    ['tools', { tools }],
    ['every tool_choice', { tools, tool_choice: { type: 'function', function: { name: 'look_up' } } }],
    ['parallel calls', { tools, parallel_tool_calls: true }],
    ['strict schemas', { tools: [{ type: 'function', function: { name: 'a', strict: true } }] }],
    ['a JSON schema', { response_format: { type: 'json_schema', json_schema: { name: 'a' } } }],
    ['reasoning', { reasoning_effort: 'low' }],
    [
      'sampling',
      { seed: 1, presence_penalty: 1, frequency_penalty: 1, user: 'a', metadata: {}, store: true },
    ],
    ['what is asked for in name only', { logprobs: false, top_logprobs: 0, logit_bias: {} }],
  ])('takes %s', (_, fields) => {
    expect(paramOf(fields)).toBeUndefined();
  });

  it.each<[string, Partial<ChatCompletionRequest>, ModelView]>([
    ['model', {}, { ...demoModel, capabilities: { ...demoModel.capabilities, workload: 'embedding' } }],
    ['stream', { stream: true }, toollessModel],
    ['n', { n: 2 }, demoModel],
    ['functions', { functions: [{}] }, demoModel],
    ['modalities', { modalities: ['text', 'audio'] }, demoModel],
    ['web_search_options', { web_search_options: {} }, demoModel],
    ['tools', { tools }, toollessModel],
    ['tools[0].type', { tools: [{ type: 'custom' }] }, demoModel],
    ['tools[1].type', { tools: [...tools, { type: 'custom' }] }, toollessModel],
    [
      'response_format',
      { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
      toollessModel,
    ],
    ['response_format', { response_format: { type: 'json_object' } }, toollessModel],
    ['logprobs', { logprobs: true }, demoModel],
    ['top_logprobs', { top_logprobs: 3 }, demoModel],
    ['logit_bias', { logit_bias: { 5: 1 } }, demoModel],
    ['reasoning_effort', { reasoning_effort: 'low' }, toollessModel],
    [
      'messages[1].content[1].type',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'user', content: [{ type: 'text', text: '' }, { type: 'input_audio' }] },
        ],
      },
      demoModel,
    ],
    ['tool_choice', { tools, tool_choice: 'required' }, certified({ tool_choice: ['auto', 'function'] })],
    ['tool_choice', { tools, tool_choice: { type: 'allowed_tools' } }, demoModel],
    [
      'tool_choice',
      { tools, tool_choice: { type: 'function', function: { name: 'look_up' } } },
      certified({ tool_choice: ['auto', 'none', 'required'] }),
    ],
    ['parallel_tool_calls', { tools, parallel_tool_calls: true }, certified({ parallel_tool_calls: false })],
    [
      'tools[0].function.strict',
      { tools: [{ type: 'function', function: { name: 'a', strict: true } }] },
      certified({ strict_schemas: false }),
    ],
    ['tool_choice', { tools }, certified({ tool_choice: ['none', 'required', 'function'] })],
    ['tool_choice', { tools, tool_choice: 'none' }, certified({ tool_choice: ['auto'] })],
    ['tool_choice', { tools, tool_choice: 'required' }, { ...demoModel, toolContract: undefined }],
    ['parallel_tool_calls', { tools, parallel_tool_calls: true }, { ...demoModel, toolContract: undefined }],
    [
      'tools[0].function.strict',
      { tools: [{ type: 'function', function: { name: 'a', strict: true } }] },
      { ...demoModel, toolContract: undefined },
    ],
  ])('refuses %s', (param, fields, model) => {
    expect(paramOf(fields, model)).toBe(param);
  });

  it.each(['auto', 'none'] as const)(
    'takes tool_choice %s where nothing says what was certified',
    (choice) => {
      expect(
        paramOf({ tools, tool_choice: choice }, { ...demoModel, toolContract: undefined }),
      ).toBeUndefined();
    },
  );

  it('takes no thought of a model that has none', () => {
    expect(paramOf({ reasoning_effort: 'none' }, toollessModel)).toBeUndefined();
  });

  it('refuses a way to choose tools that nobody knows in either environment', () => {
    const request: ChatCompletionRequest = { ...base, tools, tool_choice: { type: 'allowed_tools' } };
    for (const environment of [testnet, production]) {
      expect(unsupportedIn(request, demoModel, environment)?.param).toBe('tool_choice');
    }
  });

  it('holds to a text response format without structured outputs', () => {
    expect(paramOf({ response_format: { type: 'text' } }, toollessModel)).toBeUndefined();
  });

  it.each<[string, Partial<ToolContract>, Partial<ChatCompletionRequest>]>([
    ['calls in parallel that it does not ask for', { parallel_tool_calls: false }, { tools }],
    [
      'calls in parallel that it forbids',
      { parallel_tool_calls: false },
      { tools, parallel_tool_calls: false },
    ],
    [
      'a reply with a strict schema: structured outputs are certified with one',
      { strict_schemas: false },
      {
        tools,
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {}, strict: true } },
      },
    ],
    [
      'a history with larger arguments than were certified',
      { max_argument_bytes: 1 },
      { tools, messages: [calledBefore] },
    ],
    ['tools whose arguments were never tried', { max_argument_bytes: 0 }, { tools }],
    ['results of tools', { agentic_certified: false }, { tools, messages: [calledBefore, result] }],
    ['a stream of tool calls', { tool_streaming: 'buffered' }, { tools, stream: true }],
    ['more at once than one offer takes', { certified_concurrency: 0 }, { tools }],
  ])('takes %s', (_, contract, fields) => {
    expect(paramOf(fields, certified(contract))).toBeUndefined();
  });

  it('refuses calls in parallel in production beside what none has that takes them', () => {
    const strict = [{ type: 'function', function: { name: 'a', strict: true } }];
    const response_format = { type: 'json_object' };
    const param = (fields: object, beside?: ModelView['parallelBeside'], strict_schemas = true) => {
      const model = certified({ parallel_tool_calls: false, strict_schemas });
      const asked = { tools, parallel_tool_calls: true, ...fields };
      return paramOf(asked, { ...model, parallelCalls: true, parallelBeside: beside }, production);
    };
    const neither = { strictSchemas: false, structuredOutputs: false };
    const both = { strictSchemas: true, structuredOutputs: true };
    for (const fields of [{ tools: strict }, { response_format }]) {
      expect(param(fields, neither)).toBe('parallel_tool_calls');
      expect(param({ ...fields, parallel_tool_calls: false }, neither)).toBeUndefined();
      expect(param(fields, both)).toBeUndefined();
      // A catalogue of before does not say.
      expect(param(fields)).toBeUndefined();
    }
    expect(param({}, neither)).toBeUndefined();
    expect(param({ tools: strict }, neither, false)).toBeUndefined();
  });

  it('enforces tool contracts on the test network only', () => {
    const fields: Partial<ChatCompletionRequest> = { tools, tool_choice: 'required' };
    expect(paramOf(fields, certified({ tool_choice: [] }), production)).toBeUndefined();
    expect(paramOf({ tools }, toollessModel, production)).toBe('tools');
  });
});

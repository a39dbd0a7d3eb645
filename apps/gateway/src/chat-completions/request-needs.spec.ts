import type { ModelView, RequestNeeds, ToolContract } from '@svc/contracts';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { demoModel } from '../testing/models.for-spec';
import { needsOf } from './request-needs';

const base: ChatCompletionRequest = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hi' }] };
const tools: ChatCompletionRequest['tools'] = [{ type: 'function', function: { name: 'look_up' } }];
const strictTools: ChatCompletionRequest['tools'] = [
  { type: 'function', function: { name: 'look_up' } },
  { type: 'function', function: { name: 'note', strict: true } },
];

function certified(contract: Partial<ToolContract>): ModelView {
  const full = demoModel.toolContract as ToolContract;
  return { ...demoModel, toolContract: { ...full, ...contract } };
}

describe('what a request needs', () => {
  it.each<[string, Partial<ChatCompletionRequest>, RequestNeeds | undefined]>([
    ['text', {}, undefined],
    ['a stream of text', { stream: true, response_format: { type: 'text' } }, undefined],
    ['tools', { tools }, { toolChoice: 'auto' }],
    ['tools that are not to be used', { tools, tool_choice: 'none' }, { toolChoice: 'none' }],
    ['any of the tools', { tools, tool_choice: 'required' }, { toolChoice: 'required' }],
    [
      'one of the tools',
      { tools, tool_choice: { type: 'function', function: { name: 'look_up' } } },
      { toolChoice: 'function' },
    ],
    [
      'calls in parallel',
      { tools, parallel_tool_calls: true },
      { toolChoice: 'auto', parallelToolCalls: true },
    ],
    ['one call at a time', { tools, parallel_tool_calls: false }, { toolChoice: 'auto' }],
    ['a strict tool among others', { tools: strictTools }, { toolChoice: 'auto', strictSchemas: true }],
    ['JSON', { response_format: { type: 'json_object' } }, { structuredOutputs: true }],
    [
      'JSON of a strict schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true } } },
      { structuredOutputs: true },
    ],
    [
      'everything',
      {
        tools: strictTools,
        tool_choice: 'required',
        parallel_tool_calls: true,
        response_format: { type: 'json_object' },
      },
      { toolChoice: 'required', parallelToolCalls: true, strictSchemas: true, structuredOutputs: true },
    ],
  ])('%s', (_, fields, needs) => {
    expect(needsOf({ ...base, ...fields }, [demoModel])).toEqual(needs);
  });

  it('is never more than the contract has, but calls in parallel: where it is not enforced, what it lacks is asked of nobody', () => {
    const beyond: ChatCompletionRequest = {
      ...base,
      tools: strictTools,
      tool_choice: 'required',
    };
    const contract = { parallel_tool_calls: false, strict_schemas: false };
    expect(needsOf(beyond, [certified({ ...contract, tool_choice: ['none', 'auto'] })])).toEqual({
      toolChoice: 'auto',
    });
    expect(needsOf(beyond, [certified({ ...contract, tool_choice: ['function'] })])).toEqual({
      toolChoice: 'function',
    });
    expect(needsOf(beyond, [{ ...demoModel, toolContract: undefined }])).toEqual({ toolChoice: 'auto' });
    const parallel = { ...beyond, parallel_tool_calls: true };
    expect(needsOf(parallel, [certified({ ...contract, tool_choice: ['auto'] })])).toEqual({
      toolChoice: 'auto',
      parallelToolCalls: true,
    });
  });
});

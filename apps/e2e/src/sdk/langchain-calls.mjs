// Everyday calls with `@langchain/openai`, as a program of its own.
import assert from 'node:assert/strict';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { apiKey, baseURL, calls, model, poorKey } from './calls.mjs';

const chat = (fields = {}) => new ChatOpenAI({ model, apiKey, configuration: { baseURL }, ...fields });
const weather = tool(() => ({ celsius: 21 }), {
  name: 'get_weather',
  description: 'The weather in a city',
  schema: z.object({ city: z.string() }),
});
const question = new HumanMessage('What is the weather in Paris?');

await calls({
  'invoke, with usage, cost and a list of stops that is empty': async () => {
    const message = await chat({ stop: [], __includeRawResponse: true }).invoke('Reply with "yes"');
    assert.match(message.additional_kwargs.__raw_response.svc.cost_usdc, /^\d+\.\d{6}$/);
    assert.match(message.content, /yes/);
    const { input_tokens: input, output_tokens: output, total_tokens: total } = message.usage_metadata;
    assert.equal(total, input + output);
    assert.equal(message.response_metadata.finish_reason, 'stop');
  },

  'stream, with usage': async () => {
    let whole;
    for await (const chunk of await chat({ maxTokens: 30 }).stream('Count from 1 to 9')) {
      whole = whole ? whole.concat(chunk) : chunk;
    }
    assert.match(whole.content, /3/);
    assert.ok(whole.usage_metadata.output_tokens > 0);
  },

  'a tool call, its result, and an answer': async () => {
    const bound = chat().bindTools([weather]);
    const called = await bound.invoke([question], { tool_choice: 'required' });
    const [call] = called.tool_calls;
    assert.equal(call.name, 'get_weather');
    assert.equal(typeof call.args.city, 'string');
    const result = new ToolMessage({ tool_call_id: call.id, content: '{"celsius": 21}' });
    assert.match((await bound.invoke([question, called, result])).content, /21/);
  },

  'a tool call in a stream': async () => {
    let whole;
    const bound = chat().bindTools([weather], { tool_choice: 'get_weather' });
    for await (const chunk of await bound.stream([question])) whole = whole ? whole.concat(chunk) : chunk;
    assert.equal(whole.tool_calls[0].name, 'get_weather');
    assert.equal(typeof whole.tool_calls[0].args.city, 'string');
  },

  'withStructuredOutput, by schema and by function': async () => {
    const person = z.object({ name: z.string(), age: z.number().int() });
    for (const method of ['jsonSchema', 'functionCalling']) {
      const structured = chat().withStructuredOutput(person, { name: 'person', method });
      const found = await structured.invoke('Ada is 36 years old.');
      assert.equal(typeof found.age, 'number', method);
    }
  },

  'a request that is given up': async () => {
    await assert.rejects(
      chat({ maxRetries: 0 }).invoke('Write 500 words', { signal: AbortSignal.timeout(50) }),
    );
  },

  'errors with status and code': async () => {
    await assert.rejects(chat({ model: 'svc/none@1' }).invoke('Hi'), (error) => {
      return error.status === 404 && error.code === 'model_not_found';
    });
  },

  'a refusal for want of money is not tried again': async () => {
    let requests = 0;
    const counted = (...args) => {
      requests += 1;
      return fetch(...args);
    };
    const poor = chat({ apiKey: poorKey, maxRetries: 3, configuration: { baseURL, fetch: counted } });
    await assert.rejects(poor.invoke('Hi'), (error) => error.status === 402);
    assert.equal(requests, 1);
  },
});

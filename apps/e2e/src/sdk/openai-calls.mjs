// Everyday calls with the official `openai` package, as a program of its own: `node openai-calls.mjs`.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { apiKey, baseURL, calls, model, poorKey } from './calls.mjs';

const client = new OpenAI({ baseURL, apiKey });
const user = (content) => ({ role: 'user', content });
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const asked = {
  model,
  messages: [user('What is the weather in Paris?')],
  tools: [weather],
  tool_choice: 'required',
};

await calls({
  'a plain reply, with what it cost': async () => {
    const { data, response } = await client.chat.completions
      .create({ model, messages: [user('Reply with "yes"')] })
      .withResponse();
    assert.match(data.choices[0].message.content, /yes/);
    assert.equal(data.choices[0].finish_reason, 'stop');
    assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens);
    assert.match(data.svc.cost_usdc, /^\d+\.\d{6}$/);
    assert.ok(data._request_id);
    assert.equal(data._request_id, response.headers.get('x-svc-request-id'));
  },

  'a stream, with usage and cost on its last chunk': async () => {
    const stream = await client.chat.completions.create({
      ...{ model, messages: [user('Count from 1 to 9')], max_tokens: 30 },
      ...{ stream: true, stream_options: { include_usage: true } },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.match(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), /3/);
    assert.ok(chunks.at(-1).usage.completion_tokens > 0);
    assert.match(chunks.at(-1).svc.cost_usdc, /^\d+\.\d{6}$/);
  },

  'a tool call, its result, and an answer': async () => {
    const { choices } = await client.chat.completions.create(asked);
    const { message, finish_reason: reason } = choices[0];
    assert.equal(reason, 'tool_calls');
    assert.equal(typeof JSON.parse(message.tool_calls[0].function.arguments).city, 'string');
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '{"celsius": 21}' };
    const messages = [...asked.messages, message, result];
    const answer = await client.chat.completions.create({ model, messages, tools: [weather] });
    assert.match(answer.choices[0].message.content, /21/);
  },

  'a tool call in a stream': async () => {
    const completion = await client.chat.completions.stream(asked).finalChatCompletion();
    const [call] = completion.choices[0].message.tool_calls;
    assert.equal(call.function.name, 'get_weather');
    assert.equal(typeof JSON.parse(call.function.arguments).city, 'string');
  },

  'tools that run by themselves (runTools)': async () => {
    const cities = [];
    const run = ({ city }) => {
      cities.push(city);
      return { celsius: 21 };
    };
    const runner = client.chat.completions.runTools({
      ...{ model, messages: asked.messages },
      tools: [{ ...weather, function: { ...weather.function, function: run, parse: JSON.parse } }],
    });
    assert.match(await runner.finalContent(), /21/);
    assert.equal(cities.length, 1);
  },

  'structured output (parse, with a zod schema)': async () => {
    const person = z.object({ name: z.string(), age: z.number().int() });
    const completion = await client.chat.completions.parse({
      model,
      messages: [user('Ada is 36 years old.')],
      response_format: zodResponseFormat(person, 'person'),
    });
    assert.equal(typeof completion.choices[0].message.parsed.age, 'number');
  },

  'a stream that is given up': async () => {
    const stream = await client.chat.completions.create({
      ...{ model, messages: [user('Write 500 words')], stream: true },
    });
    const chunks = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      if (chunks.length === 3) stream.controller.abort();
    }
    // What had come by then is told, however much that was; its end was not among it.
    assert.ok(!chunks.some(({ svc }) => svc));
    await assert.rejects(
      client.chat.completions.create(
        { model, messages: [user('Write 500 words')] },
        { signal: AbortSignal.timeout(50) },
      ),
      OpenAI.APIUserAbortError,
    );
  },

  'errors as the package’s own classes, with code and param': async () => {
    await assert.rejects(client.chat.completions.create({ ...asked, model: 'svc/none@1' }), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError);
      assert.deepEqual([error.status, error.code, error.param], [404, 'model_not_found', 'model']);
      assert.equal(error.requestID, error.headers.get('x-svc-request-id'));
      return Boolean(error.requestID);
    });
    await assert.rejects(client.chat.completions.create({ ...asked, max_tokens: 0 }), OpenAI.BadRequestError);
    const stranger = new OpenAI({ baseURL, apiKey: 'svc_test_nobody' });
    await assert.rejects(
      stranger.models.list().then(() => stranger.chat.completions.create(asked)),
      (error) => {
        return error instanceof OpenAI.AuthenticationError && error.code === 'invalid_api_key';
      },
    );
  },

  'a refusal for want of money is not tried again': async () => {
    let requests = 0;
    const counted = (...args) => {
      requests += 1;
      return fetch(...args);
    };
    const poor = new OpenAI({ baseURL, apiKey: poorKey, maxRetries: 3, fetch: counted });
    await assert.rejects(poor.chat.completions.create({ model, messages: [user('Hi')] }), (error) => {
      return (
        error.status === 402 && error.code === 'insufficient_quota' && error.type === 'insufficient_quota'
      );
    });
    assert.equal(requests, 1);
  },

  'the list of models, and one of them': async () => {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert.ok(ids.includes(model));
    assert.equal((await client.models.retrieve(model)).id, model);
  },
});

import type { ProbeObservation, ProbeToolCall, ReasoningField } from '@svc/contracts';
import { agentic, judgeAgentic } from './agentic.probe';
import { argumentBytes, heldBytes, judgeArgumentBytes, sizesFor } from './argument-bytes.probe';
import { surestChoice, widestChoice } from './chosen-tools';
import { Draw } from './draw';
import { AT_HAND, TERMS, bothWays, called, failing, replied } from './observation.for-spec';
import { judgeParallelCalls } from './parallel-tool-calls.probe';
import { GET_LOCAL_TIME, GET_WEATHER } from './functions';
import type { Examination, ProbeTerms, Question } from './probe';
import { judgeResponseFormat } from './response-format.probe';
import { judgeStrictSchemas } from './strict-schemas.probe';
import { judgeToolChoice, noteSingleCall } from './tool-choice.probes';

const weather = (city = 'Paris') => ({ name: 'get_weather', arguments: JSON.stringify({ city }) });
const WANTED = { auto: GET_WEATHER, required: GET_WEATHER, function: GET_LOCAL_TIME, none: undefined };
const time = { name: 'get_local_time', arguments: '{"city":"Paris"}' };

describe('tools under each tool_choice', () => {
  it.each([
    ['auto', called(weather())],
    ['required', called(weather())],
    ['function', called(time)],
    ['none', replied({ content: 'I cannot know' })],
  ] as const)('%s: passes what it demands', (choice, observation) => {
    expect(judgeToolChoice(choice, bothWays(observation), TERMS, WANTED[choice]).passed).toBe(true);
  });

  it.each([
    [
      'auto',
      replied(),
      'Asked with tools and tool_choice "auto", it answered with no tool call (finish_reason "stop").',
    ],
    [
      'required',
      failing('tool_choice', {}, 'invalid'),
      'Asked with tools and tool_choice "required", its reply held no tool call, though tool_choice demands one.',
    ],
    [
      'function',
      called(weather()),
      'Asked with tools and tool_choice naming get_local_time, it called "get_weather", which was not to be called.',
    ],
    [
      'none',
      called(weather()),
      'Asked with tools and tool_choice "none", it answered with a tool call all the same.',
    ],
    [
      'auto',
      called({ name: 'get_weather', arguments: '{"city":' }),
      'Asked with tools and tool_choice "auto", the arguments of its call to get_weather are not a JSON object.',
    ],
    [
      'auto',
      called({ name: 'get_weather', arguments: '{"town":"Paris"}' }),
      'Asked with tools and tool_choice "auto", the arguments of its call to get_weather do not match their schema.',
    ],
  ] as const)('%s: says what came instead (%#)', (choice, observation, message) => {
    expect(judgeToolChoice(choice, bothWays(observation), TERMS, WANTED[choice])).toMatchObject({
      passed: false,
      message,
    });
  });

  it('asks on by what held', () => {
    const held =
      (...names: string[]) =>
      (name: string) =>
        names.includes(name);
    expect(surestChoice(held('tool_auto', 'tool_required', 'tool_function'))).toBe('function');
    expect(widestChoice(held('tool_auto', 'tool_required', 'tool_function'))).toBe('auto');
    expect([surestChoice(held('tool_required')), widestChoice(held('tool_required'))]).toEqual([
      'required',
      'required',
    ]);
    expect([surestChoice(held('tool_none')), widestChoice(held())]).toEqual([undefined, undefined]);
  });
});

describe('parallel_tool_calls false', () => {
  const verdict = { passed: true, figures: { plainMs: 5 } };

  it('is no matter where it is taken, and is noted where it is refused', () => {
    expect(noteSingleCall(verdict, called(weather()), TERMS)).toBe(verdict);
    expect(noteSingleCall(verdict, failing('request_refused', { status: 400 }), TERMS)).toEqual({
      passed: true,
      figures: { plainMs: 5, refusesParallelFalse: 1 },
      message:
        'Asked the same with parallel_tool_calls false, it answered with status 400: requests that carry the field will fail here.',
    });
  });
});

describe('parallel_tool_calls', () => {
  it('wants two calls, whose ids may be the same or none: clients get ours', () => {
    const judge = (observation: ProbeObservation) => judgeParallelCalls(bothWays(observation), TERMS);
    expect(judge(called(weather(), weather('London'), weather('Tokyo'))).passed).toBe(true);
    expect(judge(called(weather())).message).toMatch(
      /it answered with 1 tool call \(finish_reason "tool_calls"\)\.$/,
    );
    const sameIds = called(weather(), weather('London'));
    sameIds.reply?.toolCalls.forEach((call) => (call.id = 'call_0'));
    expect(judge(sameIds).passed).toBe(true);
  });
});

describe('strict_schemas', () => {
  const booking = {
    restaurant: 'Luna',
    seating: 'outdoors',
    guests: [{ name: 'Ann', vegetarian: true }],
    contact: { email: null, floor: 2 },
  };
  const judge = (args: object) =>
    judgeStrictSchemas(bothWays(called({ name: 'book_table', arguments: JSON.stringify(args) })), TERMS);

  it('wants the schema to the letter', () => {
    expect(judge(booking).passed).toBe(true);
    for (const broken of [
      { ...booking, seating: 'terrace' },
      { ...booking, note: 'window' },
      { ...booking, guests: [{ name: 'Ann' }] },
      { ...booking, contact: { email: 'a@b.c', floor: '2' } },
    ]) {
      expect(judge(broken).message).toMatch(/do not match their schema\.$/);
    }
  });
});

describe('response_format', () => {
  const place = { city: 'Paris', country: 'France', continent: 'Europe', landmarks: ['Louvre'] };
  const json = (value: unknown) => bothWays(replied({ content: JSON.stringify(value) }));

  it('wants both kinds', () => {
    expect(judgeResponseFormat(json({ a: 1 }), json(place), TERMS).passed).toBe(true);
    expect(judgeResponseFormat(json([1]), json(place), TERMS).message).toBe(
      'Asked with response_format "json_object", its reply was not a JSON object.',
    );
    expect(judgeResponseFormat(json({ a: 1 }), json({ ...place, continent: 'Mars' }), TERMS).message).toBe(
      'Asked with response_format "json_schema", its reply did not match the schema.',
    );
  });
});

describe('argument_bytes', () => {
  const saved = (bytes: number, totalMs = 100) =>
    Object.assign(
      called({ name: 'save_note', arguments: JSON.stringify({ text: 'x'.repeat(bytes - 11) }) }),
      { totalMs },
    );

  /** Writes what its schema says, at some speed. */
  const serverOf = (msPerByte: number, most = Infinity): Examination & { asked: Question[] } => {
    const asked: Question[] = [];
    return {
      ...AT_HAND,
      asked,
      figuresOf: () => ({}),
      ask(question) {
        asked.push(question);
        const [{ function: definition }] = question.body.tools as [
          { function: { parameters: { properties: { text: { minLength: number } } } } },
        ];
        const bytes = definition.parameters.properties.text.minLength + 11;
        return Promise.resolve(bytes > most ? saved(most) : saved(bytes, bytes * msPerByte));
      },
    };
  };

  it('tries sizes that fit the context, doubling', () => {
    expect(sizesFor(TERMS)).toEqual([256, 512, 1_024, 2_048, 4_096, 8_192]);
    expect(sizesFor({ ...TERMS, maxArgumentBytes: 1_024 })).toEqual([256, 512, 1_024]);
    expect(sizesFor({ ...TERMS, contextLimit: 1_000_000, maxOutputTokens: 100_000 }).at(-1)).toBe(65_536);
    expect(sizesFor({ ...TERMS, contextLimit: 512, maxOutputTokens: 512 })).toEqual([]);
  });

  it('finds the largest that holds', async () => {
    expect((await argumentBytes.run(serverOf(0.001))).figures).toMatchObject({ held: 8_192, tried: 8_192 });
    expect(await argumentBytes.run(serverOf(0.001, 600))).toMatchObject({
      passed: true,
      figures: { held: 512, tried: 1_024 },
      message: 'Asked for a tool call with arguments of 1024 bytes, its arguments had 600 bytes.',
    });
  });

  it('ends when the next would take too long', async () => {
    const server = serverOf(2);
    expect((await argumentBytes.run(server)).figures.held).toBe(2_048);
    expect(server.asked).toHaveLength(4);
  });

  it('takes a copy that is nearly whole for what it has', () => {
    expect(heldBytes({ bytes: 256, observation: saved(256) })).toBe(256);
    expect(heldBytes({ bytes: 256, observation: saved(240) })).toBe(240);
    expect(heldBytes({ bytes: 256, observation: saved(300) })).toBe(256);
    expect(heldBytes({ bytes: 256, observation: saved(200) })).toBe(0);
    expect(heldBytes({ bytes: 256, observation: replied() })).toBe(0);
  });

  it('fails where nothing held', () => {
    const lost = failing('tool_call', {}, 'invalid');
    expect(judgeArgumentBytes([{ bytes: 256, observation: lost }], TERMS)).toMatchObject({
      passed: false,
      figures: { held: 0, tried: 256 },
    });
    expect(judgeArgumentBytes([], TERMS)).toEqual({
      passed: false,
      message: 'The context is too small for any document.',
      figures: { held: 0 },
    });
  });
});

describe('agentic', () => {
  const lookUp = called({ name: 'look_up_stock', arguments: '{"item":"B-7741"}' });

  it.each(['There are 4173 pieces.', 'There are 4,173 pieces in stock.', 'pieces is 4173.'])(
    'takes %j',
    (content) => {
      expect(judgeAgentic(lookUp, replied({ content }), 4_173, TERMS).passed).toBe(true);
    },
  );

  it('cannot be answered from what was public of another run', async () => {
    const results = await Promise.all(
      ['one', 'another'].map(async (seed) => {
        const asked: Question[] = [];
        await agentic.run({
          ...AT_HAND,
          draw: new Draw(seed),
          figuresOf: () => ({}),
          ask: (question) => Promise.resolve(asked.push(question) === 1 ? lookUp : replied()),
        });
        return (asked[1]?.body.messages as { content: string }[]).at(-1)?.content;
      }),
    );
    expect(results[0]).toMatch(/"pieces":\d{4}/);
    expect(results[0]).not.toBe(results[1]);
  });

  describe('of a model that thinks', () => {
    const thinking = { ...TERMS, reasoning: true };
    const thought = (reasoningField: ReasoningField) => {
      const { reply } = lookUp;
      return { ...lookUp, reply: reply && { ...reply, reasoning: 'hm', reasoningField } };
    };
    const run = async (terms: ProbeTerms, field: ReasoningField, ...then: ProbeObservation[]) => {
      const asked: object[] = [];
      const replies = [thought(field), ...then];
      const verdict = await agentic.run({
        ...AT_HAND,
        terms,
        figuresOf: () => ({}),
        ask: ({ body }) => {
          asked.push((body.messages as object[])[1] ?? {});
          return Promise.resolve(replies.shift() ?? failing('status_5xx'));
        },
      });
      return { verdict, given: asked.slice(1) };
    };
    const useless = replied({ content: 'I do not know.' });

    it.each(['reasoning', 'reasoning_content'] as const)('gives its thoughts back as %s', async (field) => {
      const { verdict, given } = await run(thinking, field, useless);
      expect(given).toEqual([expect.objectContaining({ role: 'assistant', [field]: 'hm' })]);
      const figure = field === 'reasoning' ? 'takesReasoning' : 'takesReasoningContent';
      expect(verdict.figures).toMatchObject({ [figure]: 1 });
    });

    it('gives what its server sealed beside its calls back there', async () => {
      const extra = { google: { thought_signature: 'x' } };
      const call = { ...lookUp.reply?.toolCalls[0], extraContent: extra } as ProbeToolCall;
      const replies = [called(call), replied({ content: 'I do not know.' })].map((observation) => ({
        ...observation,
        reply: observation.reply && { ...observation.reply, reasoningField: 'extra_content' as const },
      }));
      const asked: object[] = [];
      const { figures } = await agentic.run({
        ...AT_HAND,
        terms: thinking,
        figuresOf: () => ({}),
        ask: ({ body }) => {
          asked.push(body);
          return Promise.resolve(replies.shift() ?? failing('status_5xx'));
        },
      });
      expect(asked[1]).toMatchObject({ messages: [{}, { tool_calls: [{ extra_content: extra }] }, {}] });
      expect(figures).toMatchObject({ takesExtraContent: 1 });
    });

    it('asks without them where they are refused, and says nothing of whether they are taken', async () => {
      const { verdict, given } = await run(thinking, 'reasoning', failing('request_refused'), useless);
      expect(given.map((message) => 'reasoning' in message)).toEqual([true, false]);
      expect(verdict.figures).not.toHaveProperty('takesReasoning');
      expect((await run(thinking, 'reasoning')).verdict.figures).not.toHaveProperty('takesReasoning');
    });

    it('keeps them to itself where the model is not defined so: clients’ are not passed on either', async () => {
      const { given } = await run(TERMS, 'reasoning', useless);
      expect(given).toEqual([expect.not.objectContaining({ reasoning: 'hm' })]);
    });
  });

  it('gives the result of the call back, and wants it used', async () => {
    const asked: Question[] = [];
    const examination: Examination = {
      ...AT_HAND,
      figuresOf: () => ({}),
      ask(question) {
        asked.push(question);
        return Promise.resolve(asked.length === 1 ? lookUp : replied({ content: 'I do not know.' }));
      },
    };
    expect(await agentic.run(examination)).toMatchObject({
      passed: false,
      message:
        'Given the result of its tool call, its answer did not hold that result (finish_reason "stop").',
    });
    expect(asked[1]?.body.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        tool_calls: [{ id: expect.stringMatching(/^[A-Za-z0-9]{9}$/) as string, type: 'function' }],
      },
      { role: 'tool', tool_call_id: expect.stringMatching(/^[A-Za-z0-9]{9}$/) as string },
    ]);
    expect(judgeAgentic(replied(), undefined, 4_173, TERMS).message).toMatch(
      /^Asked what only a tool can tell, it answered with no tool call/,
    );
  });
});

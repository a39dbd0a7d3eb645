import { SAMPLE_SCHEMA, SAMPLE_TOOLS, sampleAnswer, withSample } from './sample-tools';
import { FIRST_SETTINGS, hindranceIn, problemsIn, readTools } from './settings';
import type { Settings } from './settings';

const settings = (changes: Partial<Settings> = {}): Settings => ({
  ...FIRST_SETTINGS,
  model: 'm',
  ...changes,
});

describe('settings', () => {
  it('have no problems to begin with, but a model', () => {
    expect(problemsIn(settings())).toEqual({});
    expect(problemsIn(FIRST_SETTINGS)).toEqual({ model: 'Choose a model' });
  });

  it('are told when their model is not on the market, once that is known', () => {
    expect(problemsIn(settings(), [{ id: 'm' }])).toEqual({});
    const problem = { model: 'It is not on the market; choose another' };
    expect(problemsIn(settings(), [{ id: 'other' }])).toEqual(problem);
  });

  it.each<[Partial<Settings>, keyof Settings]>([
    [{ temperature: 'warm' }, 'temperature'],
    [{ temperature: '2.1' }, 'temperature'],
    [{ topP: '-0.1' }, 'topP'],
    [{ maxTokens: '0' }, 'maxTokens'],
    [{ maxTokens: '1.5' }, 'maxTokens'],
    [{ seed: '1e99' }, 'seed'],
    [{ format: 'json_schema' }, 'schema'],
    [{ format: 'json_schema', schema: '[]' }, 'schema'],
    [{ format: 'json_schema', schema: '{' }, 'schema'],
    [{ tools: '{}' }, 'tools'],
    [{ tools: '[{"type":"function"}]' }, 'tools'],
    [{ tools: '[null]' }, 'tools'],
  ])('are told what is wrong with %j', (changes, field) => {
    expect(Object.keys(problemsIn(settings(changes)))).toEqual([field]);
  });

  it('are named by what hinders the sending', () => {
    expect(hindranceIn(problemsIn(settings()))).toBeUndefined();
    const problems = problemsIn(settings({ maxTokens: '0', seed: '1.5' }));
    expect(hindranceIn(problems)).toBe('Max tokens: A whole number from 1 to 10,000,000');
  });

  it('take what can be sent', () => {
    const all = { temperature: '0', topP: '1', maxTokens: '40', seed: '-7', format: 'json_schema' } as const;
    expect(problemsIn(settings({ ...all, schema: SAMPLE_SCHEMA }))).toEqual({});
    // Left from another format, and not sent.
    expect(problemsIn(settings({ schema: '{' }))).toEqual({});
  });
});

describe('sample tools', () => {
  it('can be added to what is there, each once', () => {
    const [first, second] = SAMPLE_TOOLS;
    const both = withSample(withSample(withSample('', first), second), first);
    const tools = readTools(both);
    expect(typeof tools !== 'string' && tools.map((tool) => tool.function.name)).toEqual([
      'get_weather',
      'search_orders',
    ]);
    expect(
      readTools('[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]'),
    ).toBe('Two tools are called a');
  });

  it('have answers', () => {
    for (const { tool } of SAMPLE_TOOLS)
      expect(() => JSON.parse(sampleAnswer(tool.function.name)) as object).not.toThrow();
    expect(sampleAnswer('other')).toBe('{}');
  });
});

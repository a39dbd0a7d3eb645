import { requestOf, tool } from './engine-requests.for-spec';
import type { EngineRequest } from './engine-request';
import { readPrompt } from './prompt-reading';
import { selectTools } from './tool-selection';

const tools = [
  tool('get_weather', 'Get the current temperature and humidity for a location'),
  tool('searchFlights', 'Find airline connections between two airports'),
  tool('lookup', 'Read an entry of the employee directory'),
];

function selected(prompt: string, rest: Partial<EngineRequest> = {}): string[] {
  const request = requestOf(prompt, { tools, ...rest });
  return selectTools(request, readPrompt(prompt)).map(({ tool: { name }, focus }) =>
    focus ? `${name}:${focus}` : name,
  );
}

describe('the choice of tools', () => {
  it.each([
    ['What is the weather like today?', ['get_weather']],
    ["How's Berlin's temperature and humidity?", ['get_weather']],
    ['Please call get_weather now', ['get_weather']],
    ['Please call GET_WEATHER now', ['get_weather']],
    ['Which flights leave tomorrow?', ['searchFlights']],
    ['Do a lookup of Ada in the directory', ['lookup']],
    ['Compare the weather with the flights', ['get_weather', 'searchFlights']],
    ['Use get_weather, not flights', ['get_weather']],
    ['Tell me a joke', []],
    ['What is the capital of France?', []],
    ['What is the weather? Do not use any tools.', []],
    ['', []],
  ])('auto: %s', (prompt, names) => {
    expect(selected(prompt)).toEqual(names);
  });

  it('none calls nothing, whatever is asked', () => {
    expect(selected('Call get_weather', { toolChoice: 'none' })).toEqual([]);
  });

  it('required calls what matches, else the first', () => {
    expect(selected('Any flights?', { toolChoice: 'required' })).toEqual(['searchFlights']);
    expect(selected('Hello', { toolChoice: 'required' })).toEqual(['get_weather']);
  });

  it('a named function is called, and only that one, once', () => {
    const toolChoice = { name: 'lookup' };
    expect(selected('The weather in Paris and Rome', { toolChoice })).toEqual(['lookup']);
  });

  it('calls once for each thing named, unless parallel calls are off', () => {
    const prompt = 'What is the weather in Paris, New York and Rome?';
    expect(selected(prompt)).toEqual(['get_weather:Paris', 'get_weather:New York', 'get_weather:Rome']);
    expect(selected(prompt, { parallelToolCalls: false })).toEqual(['get_weather:Paris']);
  });

  it('auto does not call again after a result', () => {
    const prompt = 'What is the weather in Paris?';
    const [user] = requestOf(prompt).messages;
    if (!user) throw new Error('no message');
    const messages = [user, { role: 'tool' as const, content: '21', toolCallId: 'call_1' }];
    expect(selected(prompt, { messages })).toEqual([]);
    expect(selected(prompt, { messages, toolChoice: 'required' })).toEqual(['get_weather']);
  });
});

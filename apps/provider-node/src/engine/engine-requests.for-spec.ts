import type { EngineEvent, EngineRequest, EngineTool } from './engine-request';

/** A request with one user message; for specs. */
export function requestOf(prompt: string, rest: Partial<EngineRequest> = {}): EngineRequest {
  return {
    model: 'demo',
    messages: [{ role: 'user', content: prompt }],
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    responseFormat: { type: 'text' },
    stop: [],
    sampling: {},
    ...rest,
  };
}

/** A tool with one required string, `place`; for specs. */
export function tool(name: string, description: string): EngineTool {
  const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
  return { name, description, parameters };
}

/** The text of an answer; for specs. */
export function textOf(events: readonly EngineEvent[]): string {
  return events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
}

import type { ModelCapabilities } from '@svc/contracts';
import { PROBE_NAMES, probesOf } from '../certification-queue/probe-names';
import type { ProbeName } from '../certification-queue/probe-names';
import { refusalOf, scopeOf } from './run-judgement';
import type { ProbeState } from './run-judgement';

const CEILING: ModelCapabilities = {
  workload: 'chat',
  tools: true,
  structuredOutputs: true,
  reasoning: false,
  streaming: true,
  maxOutputTokens: 4_096,
};
const FIGURES: Partial<Record<ProbeName, Record<string, number>>> = {
  concurrency: { held: 16 },
  stream_text: { firstTokenMs: 150, tokensPerSecond: 50 },
  argument_bytes: { held: 2_048 },
};

/** A full run in which all passed but these. */
function runWithout(...failed: ProbeName[]): ProbeState[] {
  return probesOf('full').map(({ name, required }) => ({
    name,
    required,
    status: failed.includes(name) ? 'failed' : 'passed',
    message: failed.includes(name) ? `${name} did not hold` : null,
    figures: failed.includes(name) ? {} : (FIGURES[name] ?? {}),
  }));
}

const scope = (probes: ProbeState[], ceiling = CEILING, contextLimit = 8_192) =>
  scopeOf(probes, { certificationId: 'cert_1', ceiling, contextLimit });

describe('scopeOf', () => {
  it('is everything when everything held', () => {
    expect(scope(runWithout())).toEqual({
      capabilities: CEILING,
      toolContract: {
        tool_choice: ['auto', 'none', 'required', 'function'],
        parallel_tool_calls: true,
        strict_schemas: true,
        tool_streaming: 'buffered',
        max_argument_bytes: 2_048,
        certified_concurrency: 16,
        agentic_certified: true,
        metering_version: 1,
        certification_id: 'cert_1',
      },
      concurrency: 16,
      firstTokenMs: 150,
      tokensPerSecond: 50,
    });
  });

  it.each([
    [{ takesReasoning: 1 }, 'reasoning'],
    [{ takesReasoningContent: 1 }, 'reasoning_content'],
    [{ takesExtraContent: 1 }, 'extra_content'],
    [{}, undefined],
  ])('says by which name thoughts are taken back: %j', (figures, reasoningField) => {
    const probes = runWithout().map((probe) => (probe.name === 'agentic' ? { ...probe, figures } : probe));
    expect(scope(probes).reasoningField).toBe(reasoningField);
  });

  it('is without what did not hold', () => {
    const { capabilities, toolContract } = scope(
      runWithout(
        'tool_none',
        'tool_required',
        'strict_schemas',
        'response_format',
        'argument_bytes',
        'agentic',
      ),
    );
    expect(capabilities).toMatchObject({ tools: true, structuredOutputs: false });
    expect(toolContract).toMatchObject({
      tool_choice: ['auto', 'function'],
      strict_schemas: false,
      parallel_tool_calls: true,
      max_argument_bytes: 0,
      agentic_certified: false,
    });
  });

  it.each(['auto', 'required', 'function'] as const)('has tools where only %s leads to a call', (choice) => {
    const others = (['tool_auto', 'tool_required', 'tool_function'] as const).filter(
      (name) => name !== `tool_${choice}`,
    );
    const { capabilities, toolContract } = scope(runWithout(...others, 'tool_none'));
    expect([capabilities.tools, toolContract?.tool_choice]).toEqual([true, [choice]]);
  });

  it('has no tools where nothing leads to a call', () => {
    const { capabilities, toolContract } = scope(runWithout('tool_auto', 'tool_required', 'tool_function'));
    expect([capabilities.tools, toolContract]).toEqual([false, null]);
  });

  it('stays under the ceiling, and leaves room for a prompt in the context', () => {
    const poor = { ...CEILING, tools: false, structuredOutputs: false, streaming: false };
    expect(scope(runWithout(), poor, 2_048)).toMatchObject({
      capabilities: { ...poor, maxOutputTokens: 2_047 },
      toolContract: null,
    });
  });
});

describe('refusalOf', () => {
  it('names the first required probe that failed, by its place', () => {
    expect(refusalOf(runWithout('tool_auto', 'stop', 'usage_honesty'))).toEqual({
      probe: 'stop',
      message: 'stop did not hold',
    });
  });

  it('does not refuse for what only narrows the scope', () => {
    const optional = PROBE_NAMES.slice(PROBE_NAMES.indexOf('tool_auto'));
    expect(refusalOf(runWithout(...optional))).toBeUndefined();
  });
});

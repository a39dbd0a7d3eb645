import type { CertifiedScope, ModelCapabilities, ProbeStatus } from '@svc/contracts';
import { probesOf } from '../certification-queue/probe-names';
import type { ProbeName } from '../certification-queue/probe-names';
import { probesToBegin, skipReason } from './probe-schedule';

interface Standing {
  name: ProbeName;
  status: ProbeStatus;
}

const standing = (statuses: Partial<Record<ProbeName, ProbeStatus>> = {}, kind: 'full' | 'canary' = 'full') =>
  probesOf(kind).map(({ name }): Standing => ({ name, status: statuses[name] ?? 'pending' }));

const MEASURED = {
  plain_text: 'passed',
  stream_text: 'passed',
  concurrency: 'passed',
  disconnect: 'passed',
} as const;
const CEILING = { tools: true, structuredOutputs: true } as ModelCapabilities;

describe('probesToBegin', () => {
  it('measures one thing at a time, first', () => {
    expect(probesToBegin(standing())).toEqual(['plain_text']);
    expect(probesToBegin(standing({ plain_text: 'running' }))).toEqual([]);
    expect(probesToBegin(standing({ plain_text: 'passed' }))).toEqual(['stream_text']);
    expect(probesToBegin(standing({ ...MEASURED, disconnect: 'pending' }))).toEqual(['disconnect']);
  });

  it('lets nothing begin beside a measurement that a stopped run left behind', () => {
    expect(probesToBegin(standing({ ...MEASURED, concurrency: 'pending', stop: 'running' }))).toEqual([]);
  });

  it('runs four at once after that, tool choices first', () => {
    expect(probesToBegin(standing(MEASURED))).toEqual([
      'tool_auto',
      'tool_required',
      'tool_function',
      'tool_none',
    ]);
    const running = {
      tool_auto: 'running',
      tool_required: 'running',
      tool_function: 'passed',
      tool_none: 'passed',
    } as const;
    expect(probesToBegin(standing({ ...MEASURED, ...running }))).toEqual(['stop', 'usage_honesty']);
  });

  it('begins what goes by the tool choices when those are over', () => {
    const over = {
      tool_auto: 'failed',
      tool_required: 'passed',
      tool_function: 'skipped',
      tool_none: 'passed',
    } as const;
    expect(probesToBegin(standing({ ...MEASURED, ...over }))[0]).toBe('argument_bytes');
  });

  it('comes to an end, in a canary as well', () => {
    for (const kind of ['full', 'canary'] as const) {
      const probes = standing({}, kind);
      for (let [next] = probesToBegin(probes); next; [next] = probesToBegin(probes)) {
        const at = probes.findIndex(({ name }) => name === next);
        probes[at] = { name: next, status: 'passed' };
      }
      expect(probes.every(({ status }) => status === 'passed')).toBe(true);
    }
  });
});

describe('skipReason', () => {
  it('leaves out what the model is defined without', () => {
    const poor = { ceiling: { ...CEILING, tools: false, structuredOutputs: false } };
    const skipped = standing().filter(({ name }) => skipReason(name, standing(), poor) !== undefined);
    expect(skipped.map(({ name }) => name)).toEqual([
      'tool_auto',
      'tool_none',
      'tool_required',
      'tool_function',
      'parallel_tool_calls',
      'strict_schemas',
      'response_format',
      'argument_bytes',
      'agentic',
    ]);
  });

  it('leaves out what needs a call where none came', () => {
    const none = standing({ tool_none: 'passed', tool_auto: 'failed' });
    expect(skipReason('argument_bytes', none, { ceiling: CEILING })).toBe('no tool_choice led to a call');
    const required = standing({ tool_required: 'passed', tool_auto: 'failed' });
    expect(skipReason('argument_bytes', required, { ceiling: CEILING })).toBeUndefined();
    expect(skipReason('agentic', required, { ceiling: CEILING })).toBe('tool_choice "auto" did not hold');
  });

  it('asks an offer in a canary for what it is certified for', () => {
    const certified = { toolContract: { tool_choice: ['auto', 'function'] } } as unknown as CertifiedScope;
    const reason = (name: ProbeName, of: CertifiedScope | null) =>
      skipReason(name, standing({}, 'canary'), { ceiling: CEILING, certified: of });
    expect(reason('tool_function', certified)).toBeUndefined();
    expect(reason('tool_required', certified)).toBe('the offer is not certified for it');
    expect(reason('tool_function', null)).toBe('the offer is not certified for it');
    expect(reason('usage_honesty', null)).toBeUndefined();
  });
});

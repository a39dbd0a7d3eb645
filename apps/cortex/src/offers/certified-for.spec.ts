import type { CertifiedFeatures, RequestNeeds } from '@svc/contracts';
import { isCertifiedFor } from './certified-for';

const plain: CertifiedFeatures = {
  certificationId: 'crt_1',
  structuredOutputs: false,
  maxOutputTokens: 1_000,
};
const tools: CertifiedFeatures = {
  ...plain,
  tools: { choices: ['auto', 'none'], parallelCalls: false, strictSchemas: false },
};
const all: CertifiedFeatures = {
  ...plain,
  structuredOutputs: true,
  tools: { choices: ['auto', 'none', 'required', 'function'], parallelCalls: true, strictSchemas: true },
};

describe('isCertifiedFor', () => {
  it.each<[string, RequestNeeds | undefined, [plain: boolean, tools: boolean, all: boolean]]>([
    ['text', undefined, [true, true, true]],
    ['nothing by name', {}, [true, true, true]],
    ['tools', { toolChoice: 'auto' }, [false, true, true]],
    ['tools that are not to be used', { toolChoice: 'none' }, [false, true, true]],
    ['any tool', { toolChoice: 'required' }, [false, false, true]],
    ['one tool', { toolChoice: 'function' }, [false, false, true]],
    ['calls in parallel', { toolChoice: 'auto', parallelToolCalls: true }, [false, false, true]],
    ['strict tools', { toolChoice: 'auto', strictSchemas: true }, [false, false, true]],
    ['no strict tools', { toolChoice: 'auto', strictSchemas: false }, [false, true, true]],
    ['JSON', { structuredOutputs: true }, [false, false, true]],
    ['tools and JSON', { toolChoice: 'auto', structuredOutputs: true }, [false, false, true]],
  ])('%s', (_, needs, expected) => {
    expect([plain, tools, all].map((certified) => isCertifiedFor(certified, 1_000, needs))).toEqual(expected);
  });

  it('does not ask for more output than was certified', () => {
    expect(isCertifiedFor(all, 1_001, undefined)).toBe(false);
    expect(isCertifiedFor(all, 1_000, undefined)).toBe(true);
  });
});
